import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { type Ends, ownCertificate } from './smtp.ts'

/**
 * The response of an IMAP server: lines in which % is the tag, or a function. By default it accepts every login and has
 * one folder with one mail.
 */
export type ImapSay = string | ((socket: Socket, line: string) => void)

const SOURCE = 'Message-ID: <1@customer.example>\r\n\r\nhi\r\n'

const FOLDER = [
  '* 1 EXISTS',
  '* OK [UIDVALIDITY 7] ok',
  '* OK [UIDNEXT 5] ok',
  '* OK [PERMANENTFLAGS ()] ok',
  '% OK [READ-ONLY] done',
].join('\n')

const DEFAULTS: Record<string, ImapSay> = {
  open: '* OK hello',
  CAPABILITY: '* CAPABILITY IMAP4rev1 NAMESPACE IDLE AUTH=PLAIN SASL-IR LITERAL+\n% OK done',
  AUTHENTICATE: '+ ',
  NAMESPACE: '* NAMESPACE (("" "/")) NIL NIL\n% OK done',
  LIST: '* LIST (\\HasNoChildren) "/" INBOX\n% OK done',
  EXAMINE: FOLDER,
  SELECT: FOLDER.replace('READ-ONLY', 'READ-WRITE').replace('()', '(\\Seen \\*)'),
  'UID SEARCH': '* SEARCH 4\n% OK done',
  IDLE: '+ idling',
  DONE: '% OK done',
  LOGOUT: '* BYE see you\n% OK done',
  else: '% OK done',
}

/** Returns the response to a FETCH with all fields. */
export function fetched(uid: number, source = SOURCE): string {
  const head = `${source.slice(0, source.indexOf('\r\n\r\n'))}\r\n\r\n`
  return [
    `* 1 FETCH (UID ${uid} RFC822.SIZE ${source.length} INTERNALDATE "04-May-2026 09:30:00 +0000"`,
    ` BODY[HEADER.FIELDS (MESSAGE-ID)] {${head.length}}\n${head})`,
  ].join('')
}

/** Starts an IMAP server with a scripted response per command; "TLS-" before a command is for encrypted connections. */
export async function startImapTalker(t: Ends, given: Record<string, ImapSay> = {}) {
  const says: Record<string, ImapSay> = { ...DEFAULTS, 'UID FETCH': `${fetched(4)}\n% OK done`, ...given }
  const sockets = new Set<Socket>()
  const heard: string[] = []
  const closed: (() => void)[] = []
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.once('close', () => {
      sockets.delete(socket)
      for (const tell of closed.splice(0)) tell()
    })
    talk(socket)
  })

  function talk(socket: Socket, isSecure = false): void {
    let text = ''
    let tag = ''
    socket.on('error', () => {})
    const say = (what: ImapSay, line: string) => {
      if (typeof what === 'function') what(socket, line)
      else socket.write(`${what.replaceAll('%', tag).replace(/\r?\n/g, '\r\n')}\r\n`)
    }
    if (!isSecure) say(says.open as ImapSay, '')
    socket.setEncoding('latin1')
    socket.on('data', (chunk) => {
      text += chunk
      for (let end = text.indexOf('\r\n'); end >= 0; end = text.indexOf('\r\n')) {
        const line = text.slice(0, end)
        text = text.slice(end + 2)
        heard.push(line)
        const [, itsTag, command] = /^(\S+) ((?:UID )?[A-Z]+)/i.exec(line) ?? []
        const isKnown = itsTag !== undefined && /^[0-9A-F]+$/.test(itsTag)
        if (isKnown) tag = itsTag
        const word = isKnown ? (command as string).toUpperCase() : line === 'DONE' ? 'DONE' : 'WORDS'
        const what = (isSecure ? says[`TLS-${word}`] : undefined) ?? says[word] ?? (says.else as ImapSay)
        if (what === 'TLS') {
          socket.removeAllListeners('data')
          socket.write(`${tag} OK go on\r\n`)
          return talk(new TLSSocket(socket, { isServer: true, ...ownCertificate() }), true)
        }
        say(what, line)
      }
    })
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  const { port } = server.address() as AddressInfo
  return {
    host: '127.0.0.1',
    port,
    heard,
    /** Sends a line to all connections. */
    tell: (line: string) => {
      for (const socket of sockets) socket.write(`${line}\r\n`)
    },
    cut: () => {
      for (const socket of sockets) socket.destroy()
    },
    /** Resolves when the last connection has ended. */
    left: async () => {
      while (sockets.size > 0) await new Promise<void>((resolve) => closed.push(resolve))
    },
  }
}
