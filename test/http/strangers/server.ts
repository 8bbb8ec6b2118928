import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { credentialStore } from '../../../src/auth/credentials.ts'
import { passwords } from '../../../src/auth/passwords.ts'
import { openStore } from '../../../src/store/open.ts'
import { makeOrg } from '../../support/org.ts'
import { MAIN } from '../../support/program.ts'
import { untilIs } from '../../support/until.ts'
import { makeCertificate } from '../../webhooks/egress/certificates.ts'

export const EMAIL = 'ana@acme.example'
export const PASSWORD = 'a river in the north'

export type Served = Awaited<ReturnType<typeof serve>>

/** Starts "dealbox serve" with so many descriptors, and an organisation whose owner has a password. */
export async function serve(isTls: boolean, limit: number) {
  const folder = mkdtempSync(join(tmpdir(), 'dealbox-strangers-'))
  const dataDir = join(folder, 'data')
  const store = openStore(dataDir, { create: true })
  const org = await makeOrg(store, dataDir, 'Acme')
  const hash = await passwords({ cost: { memory: 64, passes: 1 } }).hash(PASSWORD)
  store.transaction(() => credentialStore(store).setPassword(org.org, org.owner, hash))
  store.close()
  const tls = isTls ? writeCertificate(folder) : []
  const argv = ['--data', dataDir, '--json', '--api-listen', '127.0.0.1:0', '--screens-listen', '127.0.0.1:0', ...tls]
  const child = spawn('sh', ['-c', `ulimit -n ${limit} && exec "$0" "$@"`, process.execPath, MAIN, 'serve', ...argv], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_OPTIONS: '' },
  })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const { api, screens } = JSON.parse(String(line).split('\n')[0] as string)
  /** Log lines of the levels warn and error. */
  const complaints: string[] = []
  let rest = ''
  child.stdout.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() as string
    complaints.push(...lines.filter((each) => /"level":"?(40|50|60|warn|error|fatal)/.test(each)))
  })
  const of = (name: string): string => readFileSync(`/proc/${child.pid}/${name}`, 'utf8')

  const descriptors = (): number => readdirSync(`/proc/${child.pid}/fd`).length

  return {
    api: api as string,
    screens: screens as string,
    token: org.token,
    complaints,
    descriptors,
    /** Resolves when it has at least, or at most, so many open. */
    until: (holds: (open: number) => boolean) => untilIs(descriptors, holds),
    /** The peak of its memory. */
    peakMb: () => Number(/VmHWM:\s+(\d+)/.exec(of('status'))?.[1]) / 1024,
    /** Ends it as a service manager does; returns its exit code, none if it took too long, and whether its database is closed. */
    stop: async () => {
      child.kill('SIGTERM')
      const [code] = child.exitCode === null ? await once(child, 'exit') : [child.exitCode]
      const isClosed = !existsSync(join(dataDir, 'dealbox.db-wal'))
      return { code: code as number | null, isClosed }
    },
    remove: () => {
      child.kill('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
    /** How many tags there are; call this when it has ended. */
    tags: () => {
      const after = openStore(dataDir)
      try {
        return after.db.prepare('SELECT count(*) FROM tags').pluck().get() as number
      } finally {
        after.close()
      }
    },
  }
}

function writeCertificate(folder: string): string[] {
  const { cert, key } = makeCertificate(2020, 2090) as { cert: string; key: string }
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  writeFileSync(certFile, cert)
  writeFileSync(keyFile, key)
  return ['--tls-cert', certFile, '--tls-key', keyFile]
}
