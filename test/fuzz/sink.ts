import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { drawing } from './draw.ts'

// A server for mail, on this machine alone, as bad as some are: it takes most of what it gets, and refuses, puts off,
// loses and delays the rest. It looks at what comes in, and forgets it: nothing goes any further.

/** What becomes of a mail. Of what is lost behind its end nobody can tell whether it was taken. */
type Fate = 'taken' | 'slow' | 'refused' | 'refused whole' | 'put off' | 'lost' | 'lost at its end' | 'taken in silence'

const FATES: [percent: number, fate: Fate][] = [
  [6, 'refused'],
  [3, 'refused whole'],
  [3, 'put off'],
  [1, 'lost'],
  [1, 'lost at its end'],
  [1, 'taken in silence'],
  [3, 'slow'],
]
const SLOW_MS = 300
/** By these words its answers are known in a log. */
export const SINK = 'dealbox fuzz sink'
const MAX_FAULTS = 20
const MAX_LINKS = 200

export type Sink = Awaited<ReturnType<typeof startSink>>

export async function startSink(seed: number) {
  const fateOf = drawing(seed + 3, (draw): Fate => {
    let left = draw.below(100)
    return FATES.find(([percent]) => (left -= percent) < 0)?.[1] ?? 'taken'
  })
  let count = 0
  const sockets = new Set<Socket>()
  /** How often each mail was taken, by its Message-ID. */
  const taken = new Map<string, number>()
  const faults: string[] = []
  /** Tokens by which those who got a mail can unsubscribe. */
  const links: string[] = []

  function take(mail: Buffer): void {
    const { id, token, wrong } = readMail(mail)
    taken.set(id, (taken.get(id) ?? 0) + 1)
    if (token !== undefined) links.push(token)
    if (links.length > MAX_LINKS) links.shift()
    for (const each of wrong) if (faults.length < MAX_FAULTS) faults.push(`the mail ${id} ${each}`)
  }

  function end(socket: Socket, mail: Buffer, fate: Fate): void {
    if (fate === 'taken' || fate === 'slow' || fate === 'taken in silence') take(mail)
    if (fate === 'lost at its end' || fate === 'taken in silence') socket.destroy()
    else if (fate === 'slow') setTimeout(() => socket.write(`250 taken by the ${SINK}\r\n`), SLOW_MS)
    else socket.write(fate === 'refused whole' ? `554 5.7.1 not for the ${SINK}\r\n` : `250 taken by the ${SINK}\r\n`)
  }

  const server = createServer((socket) => {
    let fate: Fate = 'taken'
    let isMail = false
    let wantsMail = false
    let rest: Buffer = Buffer.alloc(0)
    sockets.add(socket)
    socket
      .setNoDelay()
      .on('error', () => {})
      .on('close', () => sockets.delete(socket))
      .on('data', (chunk: Buffer) => {
        let from = Math.max(0, rest.length - 5)
        rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
        for (;;) {
          const mark = isMail ? '\r\n.\r\n' : '\r\n'
          const at = rest.indexOf(mark, from)
          from = 0
          if (at < 0 || socket.destroyed) return
          const part = rest.subarray(0, at)
          rest = rest.subarray(at + mark.length)
          if (isMail) end(socket, part, fate)
          else answer(part.toString('latin1').split(/[ :]/)[0]!.toUpperCase())
          isMail = isMail ? false : wantsMail
          wantsMail = false
        }
      })
    socket.write(`220 ${SINK}\r\n`)

    function answer(word: string): void {
      if (word === 'MAIL') fate = fateOf(count++)
      if (word === 'RCPT' && fate === 'refused') socket.write(`550 5.1.1 nobody is known to the ${SINK}\r\n`)
      else if (word === 'RCPT' && fate === 'put off') socket.write(`451 4.3.0 not now, says the ${SINK}\r\n`)
      else if (word === 'DATA' && fate === 'lost') socket.destroy()
      else if (word === 'DATA') {
        wantsMail = true
        socket.write('354 go on\r\n')
      } else if (word === 'QUIT') socket.end('221 bye\r\n')
      else socket.write('250 fine\r\n')
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  server.unref()

  return {
    port: (server.address() as AddressInfo).port,
    /** What was wrong with mails. */
    faults,
    links,
    timesTaken: (id: string): number => taken.get(id) ?? 0,
    size: (): number => taken.size,
    stop: (): void => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** Headers that a mail has once, those that it may have, and no others: none comes out of what somebody wrote. */
const DUE = ['message-id', 'date', 'from', 'subject', 'mime-version', 'content-type']
const OTHERS = [
  'to',
  'cc',
  'content-transfer-encoding',
  'reply-to',
  'in-reply-to',
  'references',
  'list-unsubscribe',
  'list-unsubscribe-post',
]

/** A mail as it came over the wire, and what is wrong with it by RFC 5322. */
export function readMail(mail: Buffer): { id: string; token: string | undefined; wrong: string[] } {
  // On the way a line that begins with a dot has got one more.
  const text = mail.toString('latin1').replace(/(?<=\r\n)\.\./g, '.')
  const at = text.indexOf('\r\n\r\n')
  const head = text.slice(0, at < 0 ? text.length : at)
  const fields = head.replace(/\r\n(?=[ \t])/g, '').split('\r\n')
  const names = fields.map((field) => /^([!-9;-~]+):/.exec(field)?.[1]?.toLowerCase() ?? '')
  const of = (name: string): string => fields[names.indexOf(name)]?.slice(name.length + 1).trim() ?? ''
  const wrong: string[] = []
  if (at < 0) wrong.push('has no body')
  if (/[^\x20-\x7e\r\n\t]/.test(head)) wrong.push('has headers that are not ASCII')
  if (/\r(?!\n)|(?<!\r)\n/.test(text)) wrong.push('has half of a line end')
  if (/[^\r\n]{999}/.test(text)) wrong.push('has a line of more than 998 bytes')
  for (const name of DUE)
    if (names.filter((each) => each === name).length !== 1) wrong.push(`has not one header ${name}`)
  for (const name of OTHERS) if (names.filter((each) => each === name).length > 1) wrong.push(`has two headers ${name}`)
  for (const name of names) if (!DUE.includes(name) && !OTHERS.includes(name)) wrong.push(`has a header "${name}"`)
  const id = of('message-id')
  if (!/^<[^<>\s@]+@[^<>\s@]+>$/.test(id)) wrong.push('has a Message-ID that is none')
  const list = of('list-unsubscribe')
  const token = /\/unsubscribe\/([A-Za-z0-9_-]+)>/.exec(list)?.[1]
  if (list !== '' && token?.length !== 64) wrong.push(`has no link to unsubscribe by: ${list}`)
  if ((of('list-unsubscribe-post') !== '') !== (list !== '')) wrong.push('has no one click to unsubscribe by')
  return { id, token, wrong }
}
