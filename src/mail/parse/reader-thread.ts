import { constants, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { readMail } from './read.ts'
import { toTransferable } from './transfer.ts'

// The thread of reader.ts: parses each mail posted to it and posts the result back.

// On Linux this applies to this thread alone: on a busy machine, requests take precedence over mails.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL)

parentPort?.on('message', async (source: Uint8Array) => {
  const { mail, transfer } = toTransferable(await readMail(source))
  parentPort?.postMessage(mail, transfer)
})
