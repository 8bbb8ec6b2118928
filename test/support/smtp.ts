import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import type { MailServer } from '../../src/lib/mail/transport/server.ts'
import { makeCertificate } from '../webhooks/egress/certificates.ts'
import { trusting } from './trust.ts'

/** Registers a function to run when the test ends. */
export type Ends = { after: (end: () => unknown) => void }

let certificate: ReturnType<typeof makeCertificate>

/** Returns a self-signed certificate for 127.0.0.1; see trusting(). */
export function ownCertificate(): { key: string; cert: string } {
  certificate ??= makeCertificate(2020, 2090)
  if (!certificate) throw new Error('There is no openssl to make certificates with.')
  return certificate
}

/** Code and text, such as "550 5.1.1 No such user". */
export type Reply = string | undefined

export type Script = {
  mail?: (address: string) => Reply
  rcpt?: (address: string) => Reply
  data?: (source: Buffer) => Reply
}

export type SmtpOptions = Script & {
  tls?: MailServer['tls']
  user?: string
  password?: string
  /** Further options of the library. */
  more?: SMTPServerOptions
}

export type SentMail = { from: string; to: string[]; source: Buffer; session: string }

/**
 * Starts an SMTP server that stores the mails and responds by a script; by default it accepts everything. This process trusts its
 * certificate.
 */
export async function startSmtp(t: Ends, { tls = 'none', user, password, more, ...first }: SmtpOptions = {}) {
  const mails: SentMail[] = []
  const waiting: { count: number; resolve: () => void }[] = []
  const sockets = new Set<Socket>()
  let script: Script = first
  let connections = 0
  let open = 0
  let maxOpen = 0
  let empty = Promise.withResolvers<void>()

  const errorOf = (reply: Reply) =>
    reply === undefined ? null : Object.assign(new Error(reply.slice(4)), { responseCode: Number(reply.slice(0, 3)) })

  const server = new SMTPServer({
    ...(tls === 'none' ? {} : ownCertificate()),
    secure: tls === 'tls',
    hideSTARTTLS: tls === 'none',
    disabledCommands: user === undefined ? ['AUTH'] : [],
    authOptional: user === undefined,
    allowInsecureAuth: true,
    disableReverseLookup: true,
    closeTimeout: 10,
    logger: false,
    onAuth: (auth, _session, done) =>
      auth.username === user && auth.password === password
        ? done(null, { user })
        : done(Object.assign(new Error('5.7.8 Wrong user or password'), { responseCode: 535 })),
    onMailFrom: ({ address }, _session, done) => done(errorOf(script.mail?.(address))),
    onRcptTo: ({ address }, _session, done) => done(errorOf(script.rcpt?.(address))),
    onData: (stream, session, done) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const source = Buffer.concat(chunks)
        const error = errorOf(script.data?.(source))
        if (error) return done(error)
        const { mailFrom, rcptTo } = session.envelope
        const from = mailFrom ? mailFrom.address : ''
        mails.push({ from, to: rcptTo.map(({ address }) => address), source, session: session.id })
        done(null)
        for (const { count, resolve } of waiting) if (mails.length >= count) resolve()
      })
    },
    ...more,
  })
  if (tls !== 'none') trusting(t, ownCertificate().cert)
  server.on('error', () => {})
  server.server.on('connection', (socket: Socket) => {
    connections++
    if (open === 0) empty = Promise.withResolvers()
    maxOpen = Math.max(maxOpen, ++open)
    sockets.add(socket)
    socket.once('close', () => {
      open--
      sockets.delete(socket)
      if (open === 0) empty.resolve()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  const stop = () => {
    for (const socket of sockets) socket.destroy()
    return new Promise<void>((resolve) => server.close(() => resolve()))
  }
  t.after(stop)

  const address: MailServer = {
    host: '127.0.0.1',
    port,
    tls,
    user: user ?? null,
    password: password ?? null,
  }
  return {
    server: address,
    mails,
    /** Connections in total, open now, and the maximum at one time. */
    counts: () => ({ connections, open, maxOpen }),
    answer: (next: Script) => {
      script = next
    },
    /** Resolves when no connection is open. */
    left: () => (open === 0 ? Promise.resolve() : empty.promise),
    /** Closes all connections, as a restarting server does. */
    cutConnections: async () => {
      const closed = [...sockets].map((socket) => once(socket, 'close'))
      for (const socket of sockets) socket.destroy()
      await Promise.all(closed)
    },
    /** Resolves when this many mails have arrived in total. */
    came: async (count: number): Promise<SentMail[]> => {
      if (mails.length < count) {
        const { promise, resolve } = Promise.withResolvers<void>()
        waiting.push({ count, resolve })
        await promise
      }
      return mails
    },
    stop,
  }
}

/** The response to a line: lines of text, or a function. */
export type Say = string | ((socket: Socket) => void)

/**
 * Starts a server with a scripted response per line: `open` at first, then by the first word of each line, `END` after
 * a mail, and `else` for all others. It can start TLS.
 */
export async function startTalker(t: Ends, says: Record<string, Say>) {
  const sockets = new Set<Socket>()
  const heard: string[] = []
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    talk(socket)
  })

  function talk(socket: Socket, isSecure = false): void {
    let text = ''
    let isMail = false
    socket.on('error', () => {})
    const say = (what: Say | undefined) => {
      if (typeof what === 'function') what(socket)
      else if (what !== undefined) socket.write(`${what.replaceAll('\n', '\r\n')}\r\n`)
    }
    if (!isSecure) say(says.open)
    socket.setEncoding('latin1')
    socket.on('data', (chunk) => {
      text += chunk
      for (let end = text.indexOf('\r\n'); end >= 0; end = text.indexOf('\r\n')) {
        const line = text.slice(0, end)
        text = text.slice(end + 2)
        if (isMail && line !== '.') continue
        const word = isMail ? 'END' : (line.split(' ')[0] as string).toUpperCase()
        if (!isMail) heard.push(line)
        const what = says[isSecure ? `TLS-${word}` : word] ?? says[word] ?? says.else
        isMail = word === 'DATA' && typeof what === 'string' && what.startsWith('354')
        if (what === 'TLS') {
          socket.removeAllListeners('data')
          socket.write('220 go\r\n')
          const secure = new TLSSocket(socket, { isServer: true, ...ownCertificate() })
          return talk(secure, true)
        }
        say(what)
      }
    })
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const stop = async () => {
    for (const socket of sockets) socket.destroy()
    if (server.listening) await new Promise((resolve) => server.close(resolve))
  }
  t.after(stop)
  const { port } = server.address() as AddressInfo
  return { host: '127.0.0.1', port, heard, stop }
}
