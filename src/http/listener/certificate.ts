import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Server, ServerOptions } from 'node:https'
import type { Log } from '../../lib/log.ts'
import { usage } from '../../lib/problem.ts'
import { rfc3339 } from '../../lib/time.ts'

/** The paths of a certificate with those between it and the root, and of its private key: both in PEM form. */
export type CertificateFiles = { cert: string; key: string }

export type Certificate = {
  /** Makes a server that follows the files while it runs. */
  createServer: (options: ServerOptions) => Server
  /** Reads the files again. A pair that cannot be used leaves the old one, and is warned about once. */
  reload: () => Promise<void>
  /** When it ends, in epoch milliseconds. */
  until: () => number
}

type Pair = { cert: string; key: string; validFrom: number; validUntil: number }

/** Files are read instead of watched: that works on any file system, and through the symbolic links of certbot. */
const CHECK_EVERY_MS = 60_000
/** Older versions are broken. */
const MIN_VERSION = 'TLSv1.2'

/** Reads the certificate of the listeners. Throws a usage Problem that says what is wrong with its files. */
export async function openCertificate(
  files: CertificateFiles,
  log: Log,
  nowMs: () => number = Date.now,
): Promise<Certificate> {
  // Loading them takes time that a start without TLS does not need.
  const { createServer: createSecure } = process.getBuiltinModule('node:https')
  const { createSecureContext } = process.getBuiltinModule('node:tls')
  const servers = new Set<Server>()
  let timer: NodeJS.Timeout | undefined
  let texts = await readTexts(files)
  let current = pairOf(texts)
  let isOutdated = false
  let failure: string | undefined
  warnIfOutdated()

  function pairOf({ cert, key }: Record<keyof CertificateFiles, string>): Pair {
    const certificate = parseCertificate(files, cert)
    if (!certificate.checkPrivateKey(parseKey(files, key)))
      throw usage(`--tls-key ${files.key} is not the key of the certificate that comes first in ${files.cert}.`)
    try {
      createSecureContext({ cert, key, minVersion: MIN_VERSION })
    } catch (error) {
      throw usage(`--tls-cert ${files.cert} cannot be used: ${(error as Error).message}.`)
    }
    const { validFromDate, validToDate } = certificate
    return { cert, key, validFrom: validFromDate.getTime(), validUntil: validToDate.getTime() }
  }

  async function reload(): Promise<void> {
    try {
      const read = await readTexts(files)
      if (read.cert === texts.cert && read.key === texts.key) {
        failure = undefined
        return warnIfOutdated()
      }
      texts = read // before they are checked, so that they are checked once
      current = pairOf(read)
    } catch (error) {
      return warnOnce((error as Error).message)
    }
    failure = undefined
    isOutdated = false
    for (const server of servers) server.setSecureContext(options())
    // Rare, and what whoever renews it wants to see: also in a log of warnings only.
    log.warn({ until: rfc3339(current.validUntil) }, 'the TLS certificate was replaced')
    warnIfOutdated()
  }

  /** A key is often written a moment before its certificate. */
  function warnOnce(what: string): void {
    if (what !== failure) log.warn(`the TLS certificate was not replaced, and the old one stays in use: ${what}`)
    failure = what
  }

  function warnIfOutdated(): void {
    const { validFrom, validUntil } = current
    const now = nowMs()
    if (isOutdated || (now >= validFrom && now < validUntil)) return
    isOutdated = true
    const [what, at] = now < validFrom ? ['is not valid before', validFrom] : ['expired at', validUntil]
    log.warn(`the TLS certificate in ${files.cert} ${what} ${rfc3339(at)}: browsers and clients refuse it`)
  }

  const options = (): ServerOptions => ({ cert: current.cert, key: current.key, minVersion: MIN_VERSION })

  function createServer(given: ServerOptions): Server {
    const server = createSecure({ ...given, ...options() })
    servers.add(server)
    timer ??= setInterval(reload, CHECK_EVERY_MS).unref()
    server.once('close', () => {
      servers.delete(server)
      if (servers.size === 0) clearInterval(timer)
    })
    return server
  }

  return { createServer, reload, until: () => current.validUntil }
}

async function readTexts({ cert, key }: CertificateFiles): Promise<{ cert: string; key: string }> {
  return { cert: await readText('--tls-cert', cert), key: await readText('--tls-key', key) }
}

async function readText(option: string, file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw usage(`${option} ${file} cannot be read: ${UNREADABLE[code as string] ?? message}.`)
  }
}

const UNREADABLE: Record<string, string> = {
  ENOENT: 'there is no such file',
  EACCES: 'this user may not read it',
  EISDIR: 'it is a folder',
}

function parseCertificate(files: CertificateFiles, text: string): X509Certificate {
  try {
    return new X509Certificate(text)
  } catch {
    throw usage(`--tls-cert ${files.cert} contains no certificate in PEM form.`)
  }
}

function parseKey(files: CertificateFiles, text: string): KeyObject {
  if (/^-----BEGIN ENCRYPTED|^Proc-Type: 4,ENCRYPTED/m.test(text))
    throw usage(`--tls-key ${files.key} has a passphrase. Remove it: openssl pkey -in ${files.key} -out NEW_FILE`)
  try {
    return createPrivateKey(text)
  } catch {
    throw usage(`--tls-key ${files.key} contains no private key in PEM form.`)
  }
}
