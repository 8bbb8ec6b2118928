import { constants, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { readMail } from './read.ts'
import { toTransferable } from './transfer.ts'

// The thread of reader.ts: reads the mails that it is given, and answers each.

// On Linux this is of the thread alone: where the machine is busy, requests go before mails.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL)

parentPort?.on('message', async (source: Uint8Array) => {
  const { mail, transfer } = toTransferable(await readMail(source))
  parentPort?.postMessage(mail, transfer)
})
