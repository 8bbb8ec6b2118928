import { closeSync, createReadStream, fsyncSync, openSync } from 'node:fs'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { parentPort, workerData } from 'node:worker_threads'
import { Decrypter, Encrypter } from 'age-encryption'
import { steadyWriter } from '../../../lib/machine/large-files.ts'
import { giveWay } from '../../../lib/machine/low-priority.ts'
import type { Ending, Task, Told } from './age-task.ts'
import type { Decryption, Encryption } from './secrets.ts'

// The thread of age-worker.ts: does one task, and ends. The library is written in JavaScript: a passphrase takes it a
// second, and a file some 10 ms per megabyte, which requests should not wait for.

giveWay()

async function run(task: Task, alive: () => void): Promise<void> {
  if (task.do === 'check') {
    if (task.encryption) encrypter(task.encryption)
    if (task.decryption) decrypter(task.decryption)
    return
  }
  const source = Readable.toWeb(
    createReadStream(task.from, { highWaterMark: 256 * 1024 }),
  ) as ReadableStream<Uint8Array>
  const result: ReadableStream<Uint8Array> =
    task.do === 'encrypt'
      ? await encrypter(task.encryption).encrypt(source)
      : await decrypter(task.decryption).decrypt(source)
  if (task.to === undefined) await sendOnDemand(result)
  else await writeTo(task.to, result, alive)
}

async function writeTo(path: string, chunks: AsyncIterable<Uint8Array>, alive: () => void): Promise<void> {
  const file = openSync(path, 'wx', 0o600)
  try {
    const write = steadyWriter(file)
    for await (const { buffer, byteOffset, byteLength } of chunks) {
      write(Buffer.from(buffer, byteOffset, byteLength))
      alive()
    }
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Sends a chunk for each message that comes, and null after the last one. */
async function sendOnDemand(result: ReadableStream<Uint8Array>): Promise<void> {
  const port = parentPort as MessagePort
  let wanted = 0
  let wake = () => {}
  port.on('message', () => {
    wanted++
    wake()
  })
  const demand = async () => {
    while (wanted === 0) await new Promise<void>((resolve) => (wake = resolve))
    wanted--
  }
  for await (const chunk of result) {
    await demand()
    port.postMessage(chunk)
  }
  await demand()
  port.postMessage(null)
  port.close()
}

function encrypter(encryption: Encryption): Encrypter {
  const made = new Encrypter()
  if ('passphrase' in encryption) {
    made.setPassphrase(encryption.passphrase)
    if (encryption.workFactor !== undefined) made.setScryptWorkFactor(encryption.workFactor)
  } else for (const recipient of encryption.recipients) made.addRecipient(recipient)
  return made
}

function decrypter(decryption: Decryption): Decrypter {
  const made = new Decrypter()
  if ('passphrase' in decryption) {
    made.addPassphrase(decryption.passphrase)
    if (decryption.asWritten !== undefined) made.addPassphrase(decryption.asWritten)
  } else for (const identity of decryption.identities) made.addIdentity(identity)
  return made
}

/** The other thread sleeps until it is told something. */
async function runFor({ alive, port }: Told, task: Task): Promise<void> {
  const tell = () => {
    Atomics.add(alive, 0, 1)
    Atomics.notify(alive, 0)
  }
  const ending: Ending = await run(task, tell).then(
    () => ({}),
    ({ message, code }: NodeJS.ErrnoException) => ({ error: { message, code } }),
  )
  port.postMessage(ending)
  tell()
}

const { told, ...task } = workerData as Task & { told?: Told }
void (told ? runFor(told, task as Task) : run(task as Task, () => {})) // a rejection ends the thread with its error
