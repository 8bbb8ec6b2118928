import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const CONFIG = `
[ca]
default_ca = own
[own]
database = index
new_certs_dir = .
rand_serial = yes
default_md = sha256
policy = any
x509_extensions = names
[any]
commonName = optional
[names]
subjectAltName = DNS:hooks.example, IP:127.0.0.1
`

const CURVE = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']

/** A self-signed certificate for hooks.example and 127.0.0.1, in PEM; years such as 2020. Undefined without openssl. */
export function makeCertificate(from: number, to: number): { key: string; cert: string } | undefined {
  const cwd = mkdtempSync(join(tmpdir(), 'dealbox-tls-'))
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd, stdio: 'pipe' })
  try {
    writeFileSync(join(cwd, 'index'), '')
    writeFileSync(join(cwd, 'config'), CONFIG)
    openssl('req', '-new', ...CURVE, '-subj', '/CN=test', '-keyout', 'key', '-out', 'request')
    const dates = ['-startdate', `${from}0101000000Z`, '-enddate', `${to}0101000000Z`]
    openssl(
      'ca',
      '-batch',
      '-notext',
      '-selfsign',
      '-config',
      'config',
      '-keyfile',
      'key',
      '-in',
      'request',
      '-out',
      'cert',
      ...dates,
    )
    return { key: readFileSync(join(cwd, 'key'), 'utf8'), cert: readFileSync(join(cwd, 'cert'), 'utf8') }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  } finally {
    rmSync(cwd, { recursive: true })
  }
}
