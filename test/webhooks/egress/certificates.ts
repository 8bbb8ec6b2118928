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

const AUTHORITY = `
[req]
distinguished_name = any
[any]
[authority]
basicConstraints = critical, CA:TRUE
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

/** A certificate for hooks.example and 127.0.0.1, and that of the authority that has signed it. Undefined without openssl. */
export function makeAuthority(): { ca: string; key: string; cert: string } | undefined {
  const cwd = mkdtempSync(join(tmpdir(), 'dealbox-tls-'))
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd, stdio: 'pipe' })
  const read = (name: string) => readFileSync(join(cwd, name), 'utf8')
  const own = ['-x509', '-config', 'config', ...CURVE, '-days', '3650']
  try {
    writeFileSync(join(cwd, 'config'), AUTHORITY)
    openssl('req', ...own, '-subj', '/CN=Own CA', '-extensions', 'authority', '-keyout', 'ca-key', '-out', 'ca')
    const signed = ['-CA', 'ca', '-CAkey', 'ca-key', '-extensions', 'names']
    openssl('req', ...own, ...signed, '-subj', '/CN=test', '-keyout', 'key', '-out', 'cert')
    return { ca: read('ca'), key: read('key'), cert: read('cert') }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  } finally {
    rmSync(cwd, { recursive: true })
  }
}
