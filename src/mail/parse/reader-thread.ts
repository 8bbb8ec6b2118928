import { constants, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import type { CalendarView } from './invitations.ts'
import { readMail } from './read.ts'
import { toTransferable } from './transfer.ts'

// The thread of reader.ts: parses each mail posted to it and posts the result back.

// On Linux this applies to this thread alone: on a busy machine, requests take precedence over mails.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL)

type Asked = { source: Uint8Array; view?: CalendarView; maxFileBytes: number }

parentPort?.on('message', async ({ source, view, maxFileBytes }: Asked) => {
  const { mail, transfer } = toTransferable(await readMail(source, view, maxFileBytes))
  parentPort?.postMessage(mail, transfer)
})
