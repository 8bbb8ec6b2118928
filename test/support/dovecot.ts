import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import type { ImapServer } from '../../src/lib/mail/transport/server.ts'
import { type Ends, ownCertificate } from './smtp.ts'
import { trusting } from './trust.ts'
import { until } from './until.ts'

/** For the option `skip` of a test that needs an IMAP server. Dovecot 2.4 has different settings. */
export const noDovecot = absence()

function absence(): string | false {
  try {
    const version = execFileSync('dovecot', ['--version'], { encoding: 'utf8' })
    return version.startsWith('2.3.')
      ? false
      : `there is Dovecot ${version.trim()} on this machine, and the tests need 2.3`
  } catch {
    return 'there is no Dovecot on this machine'
  }
}

const USER = 'sales@acme.example'
const PASSWORD = 'correct-horse-battery'

export type DovecotOptions = {
  /** Additional settings. */
  settings?: string
  /** Initial folders, each with its special use, such as "\Sent". */
  folders?: Record<string, string | null>
  /** Also accepts access tokens, by these mechanisms, and asks this address whether they are valid. */
  oauth?: { introspection: string; mechanisms: string }
}

/**
 * Starts a real IMAP server that accepts every user with the password, and stores the mails in a temporary folder. This process trusts
 * its certificate.
 */
export async function startDovecot(
  t: Ends,
  { settings = '', folders = { Sent: '\\Sent' }, oauth }: DovecotOptions = {},
) {
  const dir = mkdtempSync(join(tmpdir(), 'dealbox-imap-'))
  const mailDir = join(dir, 'mail')
  const [port, tlsPort] = await freePorts(2)
  const { key, cert } = ownCertificate()
  trusting(t, cert)
  // As root it needs a separate user for the mails; otherwise it can only use the current one.
  const isRoot = process.getuid?.() === 0
  const { username } = userInfo()
  const owner = isRoot ? { name: 'nobody', uid: idOf('-u'), gid: idOf('-g') } : undefined
  const make = (path: string) => {
    mkdirSync(path, { recursive: true })
    if (owner) chownSync(path, owner.uid, owner.gid)
  }
  chmodSync(dir, 0o755) // its processes run as several users
  if (owner) chownSync(dir, owner.uid, owner.gid)
  make(mailDir)
  writeFileSync(join(dir, 'key'), key)
  writeFileSync(join(dir, 'cert'), cert)
  writeFileSync(
    join(dir, 'oauth2'),
    `introspection_mode = post\nintrospection_url = ${oauth?.introspection}\nusername_attribute = sub\nactive_attribute = active\nactive_value = true\n`,
  )
  const mailboxes = Object.entries(folders).map(
    ([name, use]) => `mailbox "${name}" {\n auto = create\n${use === null ? '' : ` special_use = ${use}\n`}}`,
  )
  writeFileSync(
    join(dir, 'conf'),
    `
base_dir = ${dir}/run
state_dir = ${dir}/run
log_path = ${dir}/log
protocols = imap
listen = 127.0.0.1
ssl = yes
ssl_cert = <${dir}/cert
ssl_key = <${dir}/key
disable_plaintext_auth = no
auth_failure_delay = 0
mail_location = maildir:${mailDir}/%u
mail_uid = ${owner ? owner.uid : username}
mail_gid = ${owner ? owner.gid : userInfo().gid}
first_valid_uid = 1
${isRoot ? '' : `default_internal_user = ${username}\ndefault_login_user = ${username}\n`}
passdb {
  driver = static
  args = password=${PASSWORD}
}
userdb {
  driver = static
  args = home=${dir}/home/%u
}
namespace inbox {
  inbox = yes
  separator = /
  ${mailboxes.join('\n')}
}
service anvil {
  chroot =
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
service imap-login {
  chroot =
  service_count = 0
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = ${tlsPort}
    ssl = yes
  }
}
service auth {
  chroot =
}
${oauth ? `auth_mechanisms = plain ${oauth.mechanisms}\npassdb {\n driver = oauth2\n mechanisms = ${oauth.mechanisms}\n args = ${dir}/oauth2\n}\n` : ''}
${settings}
`,
  )

  let child: ReturnType<typeof spawn> | undefined
  let delivered = 0

  async function start(): Promise<void> {
    child = spawn('dovecot', ['-F', '-c', join(dir, 'conf')], { stdio: ['ignore', 'ignore', 'pipe'] })
    let said = ''
    child.stderr?.on('data', (chunk) => {
      said += chunk
    })
    await until(() => child?.exitCode !== null || greets(port))
    if (child.exitCode !== null) throw new Error(`Dovecot does not start: ${said}${logOf(dir)}`)
  }

  async function stop(): Promise<void> {
    if (!child || child.exitCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
  }

  /** Puts a mail into a folder, as a mail server does. */
  function deliver(
    source: string | Buffer,
    { user = USER, folder = 'INBOX' }: { user?: string; folder?: string } = {},
  ) {
    make(join(mailDir, user))
    const path = folder === 'INBOX' ? join(mailDir, user) : join(mailDir, user, `.${onDisk(folder)}`)
    for (const part of ['', 'tmp', 'cur', 'new']) make(join(path, part))
    const name = `${Math.floor(Date.now() / 1000)}.M${String(++delivered).padStart(6, '0')}P${process.pid}.test`
    writeFileSync(join(path, 'tmp', name), source)
    if (owner) chownSync(join(path, 'tmp', name), owner.uid, owner.gid)
    renameSync(join(path, 'tmp', name), join(path, 'new', name))
  }

  /** Renumbers the mails of the folder, as after a restore. */
  async function resetUidValidity(user = USER): Promise<void> {
    await stop()
    const list = join(mailDir, user, 'dovecot-uidlist')
    const [head = '', ...rows] = readFileSync(list, 'utf8').trimEnd().split('\n')
    const renumbered = rows.map((row, index) => row.replace(/^\d+/, String(index + 1)))
    const next = head.replace(/V(\d+)/, (_, number) => `V${Number(number) + 1}`).replace(/N\d+/, `N${rows.length + 1}`)
    writeFileSync(list, [next, ...renumbered, ''].join('\n'))
    for (const name of ['dovecot.index', 'dovecot.index.log', 'dovecot.index.cache', 'dovecot.list.index.log'])
      rmSync(join(mailDir, user, name), { force: true })
    await start()
  }

  const cutConnections = (user = USER): void => {
    execFileSync('doveadm', ['-c', join(dir, 'conf'), 'kick', user])
  }

  t.after(async () => {
    await stop()
    rmSync(dir, { recursive: true, force: true })
  })
  await start()

  const server = (some: Partial<ImapServer> = {}): ImapServer => {
    const tls = some.tls ?? 'tls'
    return {
      host: '127.0.0.1',
      port: tls === 'tls' ? tlsPort : port,
      tls,
      user: USER,
      password: PASSWORD,
      folder: 'INBOX',
      ...some,
    }
  }
  return {
    host: '127.0.0.1',
    port,
    tlsPort,
    ca: cert,
    user: USER,
    password: PASSWORD,
    /** Its address, in the form of mailbox settings. */
    server,
    deliver,
    stop,
    start,
    resetUidValidity,
    cutConnections,
    /** The mails, in one folder per user, and whose files they are; undefined for the current user. */
    mailDir,
    owner,
  }
}

/** Encodes the name of a folder as on disk: in the modified UTF-7 of IMAP. */
const onDisk = (folder: string): string =>
  folder
    .replaceAll('&', '&-')
    .replace(
      /[^\x20-\x7e]+/g,
      (text) => `&${Buffer.from(text, 'utf16le').swap16().toString('base64').replace(/=+$/, '').replaceAll('/', ',')}-`,
    )
    .replaceAll('/', '.')

const idOf = (flag: string): number => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }))

const logOf = (dir: string): string => (existsSync(join(dir, 'log')) ? readFileSync(join(dir, 'log'), 'utf8') : '')

export async function freePorts(count: number): Promise<[number, number]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(servers.map((server) => once(server, 'listening')))
  const ports = servers.map((server) => (server.address() as AddressInfo).port)
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return ports as [number, number]
}

function greets(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('data', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
    socket.once('close', () => resolve(false))
  })
}
