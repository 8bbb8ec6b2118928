import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { MailServer } from '../../src/lib/mail/transport/server.ts'
import { freePorts } from './dovecot.ts'
import type { Ends } from './smtp.ts'
import { until } from './until.ts'

const COMMANDS = '/usr/sbin'
const DAEMONS = '/usr/lib/postfix/sbin'

/** For the option `skip` of a test that needs a real SMTP server. Postfix only runs as root. */
export const noPostfix: string | false =
  process.getuid?.() !== 0
    ? 'Postfix only runs as root'
    : !existsSync(join(DAEMONS, 'master')) && 'there is no Postfix on this machine'

const SERVICES = [
  'cleanup',
  'qmgr',
  'rewrite',
  'bounce',
  'defer',
  'trace',
  'verify',
  'flush',
  'error',
  'retry',
  'virtual',
  'proxymap',
  'anvil',
]
const PUBLIC = new Set(['cleanup', 'qmgr', 'flush'])
const PROGRAMS: Record<string, string> = {
  rewrite: 'trivial-rewrite',
  defer: 'bounce',
  trace: 'bounce',
  retry: 'error',
}

/** Maildirs that another server has, such as Dovecot: whose files they are, and the folder of each person in `dir`. */
type Maildirs = { dir: string; owner: { uid: number; gid: number }; folder: string | ((email: string) => string) }

/**
 * Starts a Postfix that has the mailboxes of these people, and takes so many recipients in one mail. It keeps their mails
 * itself, or puts them into the folders of another server. Mails to those who are `bouncing` are taken, and bounce.
 */
export async function startPostfix(
  t: Ends,
  people: readonly string[],
  limit: number,
  maildirs?: Maildirs,
  bouncing: readonly string[] = [],
) {
  const dir = mkdtempSync(join(tmpdir(), 'dealbox-smtp-'))
  const at = (name: string) => join(dir, name)
  const [port] = await freePorts(1)
  for (const name of ['queue', 'data', 'mail']) mkdirSync(at(name))
  execFileSync('chmod', ['755', dir])
  execFileSync('chown', ['postfix', at('data'), at('mail')])
  const ownId = Number(execFileSync('id', ['-u', 'postfix'], { encoding: 'utf8' }))
  const { dir: base, owner } = maildirs ?? { dir: at('mail'), owner: { uid: ownId, gid: ownId } }
  const { folder = (email: string) => email } = maildirs ?? {}
  const folderOf = (email: string): string => (typeof folder === 'string' ? folder : folder(email))
  const table = (name: string, rows: Record<string, string>) =>
    writeFileSync(
      at(name),
      Object.entries(rows)
        .map(([key, value]) => `${key} ${value}\n`)
        .join(''),
    )
  table('people', Object.fromEntries(people.map((email) => [email, `${folderOf(email)}/`])))
  table('late', Object.fromEntries(bouncing.map((email) => [email, 'late:'])))
  table('nobody', {})
  table('access', {})
  const settings = {
    compatibility_level: '3.6',
    queue_directory: at('queue'),
    data_directory: at('data'),
    command_directory: COMMANDS,
    daemon_directory: DAEMONS,
    maillog_file: at('log'),
    maillog_file_prefixes: dir,
    myhostname: 'mail.acme.example',
    mydestination: '',
    local_recipient_maps: '',
    alias_maps: '',
    inet_interfaces: '127.0.0.1',
    inet_protocols: 'ipv4',
    mynetworks: '127.0.0.0/8',
    transport_maps: `texthash:${at('late')}`,
    message_size_limit: '0', // none
    virtual_mailbox_limit: '0',
    virtual_mailbox_domains: [...new Set(people.map((email) => email.split('@')[1]))].join(' '),
    virtual_mailbox_base: base,
    virtual_mailbox_maps: `texthash:${at('people')}`,
    virtual_minimum_uid: '1',
    virtual_uid_maps: `static:${owner.uid}`,
    virtual_gid_maps: `static:${owner.gid}`,
    smtpd_recipient_limit: String(limit),
    smtpd_recipient_restrictions: `check_recipient_access texthash:${at('access')}, permit_mynetworks, reject`,
  }
  writeFileSync(
    at('main.cf'),
    Object.entries(settings)
      .map(([key, value]) => `${key} = ${value}\n`)
      .join(''),
  )
  const lines = [`127.0.0.1:${port} inet n - n - - smtpd -o max_use=1`, 'postlog unix-dgram n - n - 1 postlogd']
  lines.push(`late unix - n n - 0 virtual -o virtual_mailbox_maps=texthash:${at('nobody')}`)
  for (const name of SERVICES)
    lines.push(
      `${name} unix ${PUBLIC.has(name) ? 'n' : '-'} ${name === 'virtual' ? 'n' : '-'} n - 0 ${PROGRAMS[name] ?? name}`,
    )
  writeFileSync(at('master.cf'), `${lines.join('\n')}\n`.replace('qmgr unix n - n - 0', 'qmgr unix n - n 300 1'))
  const postfix = spawn(join(COMMANDS, 'postfix'), ['-c', dir, 'start-fg'], { stdio: 'ignore' })
  t.after(async () => {
    execFileSync(join(COMMANDS, 'postfix'), ['-c', dir, 'abort'], { stdio: 'ignore' })
    if (postfix.exitCode === null) await new Promise((resolve) => postfix.once('exit', resolve))
    rmSync(dir, { recursive: true, force: true })
  })
  await until(
    () => answers(port),
    () => `Postfix starts: ${existsSync(at('log')) ? readFileSync(at('log')) : ''}`,
  )

  const server: MailServer = { host: '127.0.0.1', port, tls: 'none', user: null, password: null }
  /** How many mails lie in a mailbox. */
  const got = (email: string): number => {
    const folder = join(base, folderOf(email), 'new')
    return existsSync(folder) ? readdirSync(folder).length : 0
  }
  /** Whether every mail that was taken lies in a mailbox, or has bounced. */
  const isEmpty = (): boolean =>
    ['maildrop', 'incoming', 'active', 'deferred'].every((name) => {
      const folder = join(at('queue'), name)
      return (
        !existsSync(folder) ||
        readdirSync(folder, { recursive: true, withFileTypes: true }).every((each) => each.isDirectory())
      )
    })
  return {
    server,
    got,
    isEmpty,
    /** What is answered for recipients from the next mail on. */
    answer: (replies: Record<string, string>) => table('access', replies),
    /** Resolves once so many mails lie in all mailboxes together. */
    came: (count: number) =>
      until(
        () => people.reduce((sum, email) => sum + got(email), 0) >= count,
        () => `${readFileSync(at('log'))}`,
      ),
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('data', () => socket.destroy() && resolve(true))
    socket.once('error', () => resolve(false))
    socket.once('close', () => resolve(false))
  })
}
