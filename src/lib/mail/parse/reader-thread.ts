import { parentPort } from 'node:worker_threads'
import { giveWay } from '../../machine/low-priority.ts'
import type { CalendarView } from './invitations.ts'
import { readMail } from './read.ts'
import { toTransferable } from './transfer.ts'

// The thread of reader.ts: parses each mail posted to it and posts the result back.

giveWay()

type Asked = { source: Uint8Array; view?: CalendarView; maxFileBytes: number }

parentPort?.on('message', async ({ source, view, maxFileBytes }: Asked) => {
  const { mail, transfer } = toTransferable(await readMail(source, view, maxFileBytes))
  parentPort?.postMessage(mail, transfer)
})
