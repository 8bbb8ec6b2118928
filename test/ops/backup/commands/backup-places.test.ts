import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import type { Options } from '../../../../src/command/config/options.ts'
import { readConfig } from '../../../../src/command/config/read.ts'
import { Problem } from '../../../../src/lib/problem.ts'
import {
  decryptionOptions,
  encryptionOptions,
  placeOptions,
  readDecryption,
  readEncryption,
  readPlaces,
} from '../../../../src/ops/backup/commands/backup-places.ts'
import { dropInText } from '../../../../src/ops/install/unit.ts'
import { temporaryFolder } from '../../../cli/command-line.ts'
import { smallDisk } from '../../../support/small-disk.ts'

const folder = temporaryFolder()
const dataDir = join(folder, 'data')
mkdirSync(dataDir)
const S3 = 'https://s3.example.com/backups/crm'

/** A file with a secret, as a person makes it. */
function secret(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text, { mode: 0o600 })
  return path
}

const keyFile = secret('s3', '[default]\naws_access_key_id = AKID\naws_secret_access_key=s/e+cret\n')
const passphraseFile = secret('passphrase', 'a lake in the north\n')
let identity: string
let recipient: string
before(async () => {
  identity = await generateX25519Identity()
  recipient = await identityToRecipient(identity)
})

const given = <O extends Options>(options: O, argv: string[]) =>
  readConfig({ options, args: {} }, { argv, env: {}, known: {} }).options
const encryption = async (...argv: string[]) => readEncryption(given(encryptionOptions, argv))
const decryption = async (...argv: string[]) => readDecryption(given(decryptionOptions, argv))
const places = async (argv: string[], isEncrypted = false) =>
  readPlaces(given(placeOptions, argv), { dataDir, isEncrypted }).map(({ name }) => name)

const refused = (work: Promise<unknown>, sentence: RegExp) =>
  assert.rejects(work, (error) => {
    assert.ok(error instanceof Problem, String((error as Error).stack))
    assert.match(error.message, sentence)
    assert.equal(error.code, 'usage')
    return true
  })

test('nothing is asked for without an option', async () => {
  assert.equal(await encryption(), undefined)
  assert.equal(await decryption(), undefined)
  assert.deepEqual(await places([]), [])
})

test('backups are encrypted with the passphrase of a file, or for recipients', async () => {
  assert.deepEqual(await encryption('--backup-encrypt', passphraseFile), { passphrase: 'a lake in the north' })
  const several = ['--backup-encrypt', recipient, '--backup-encrypt', recipient]
  assert.deepEqual(await encryption(...several), { recipients: [recipient, recipient] })
  const both = /takes one file of a passphrase, or recipients \(age1\.\.\.\), not both\.$/
  await refused(encryption('--backup-encrypt', recipient, '--backup-encrypt', passphraseFile), both)
  await refused(encryption('--backup-encrypt', passphraseFile, '--backup-encrypt', passphraseFile), both)
  await refused(encryption('--backup-encrypt', 'age1nonsense'), /^--backup-encrypt cannot be used: /)
  await refused(encryption('--backup-encrypt', join(folder, 'none')), /--backup-encrypt .*none does not exist\.$/)
})

test('a passphrase is one line of at least 12 characters', async () => {
  const wrong = { short: 'eleven char', none: '\n', lines: 'two lines of\nsome length\n' }
  const sentences = { short: /use at least 12 characters/, none: /is empty/, lines: /has several lines/ }
  for (const name of ['short', 'none', 'lines'] as const)
    await refused(encryption('--backup-encrypt', secret(name, wrong[name])), sentences[name])
  // An older one may be as short as it is.
  assert.deepEqual(await decryption('--backup-passphrase-file', join(folder, 'short')), { passphrase: wrong.short })
})

test('files with secrets are for their owner', {
  skip: process.platform === 'win32' && 'Windows has no file modes',
}, async () => {
  for (const [mode, isAllowed] of [
    [0o400, true],
    [0o440, true],
    [0o644, false],
    [0o620, false],
    [0o604, false],
  ] as const) {
    const path = secret(`mode-${mode}`, 'a lake in the north')
    chmodSync(path, mode)
    const read = encryption('--backup-encrypt', path)
    if (isAllowed) await read
    else
      await refused(read, new RegExp(`may be read or written by others \\(mode ${mode.toString(8)}\\): chmod 600 it`))
  }
  await refused(encryption('--backup-encrypt', folder), /--backup-encrypt /)
  await refused(encryption('--backup-encrypt', secret('huge', 'x'.repeat(70_000))), /is too large for a file with a/)
})

test('a secret that nobody can change may be open, as Docker and Kubernetes mount it', async (t) => {
  const disk = smallDisk(64)
  if (!disk) return t.skip('no file system can be mounted here')
  const file = join(disk.folder, 'pass')
  const other = join(disk.folder, 'writable')
  const remount = (how: string) => execFileSync('mount', ['-o', `remount,${how}`, disk.folder])
  try {
    for (const each of [file, other]) writeFileSync(each, 'a lake in the north')
    chmodSync(file, 0o444)
    chmodSync(other, 0o666)
    await refused(encryption('--backup-encrypt', file), /may be read or written by others/)
    remount('ro')
    await encryption('--backup-encrypt', file)
    await refused(encryption('--backup-encrypt', other), /may be read or written by others/)
    remount('rw')
  } finally {
    disk.drop()
  }
})

test('backups are decrypted with a passphrase, or with the identities of a file', async () => {
  const file = secret('key.txt', `# created: today\n# public key: ${recipient}\n${identity}\r\n\n`)
  assert.deepEqual(await decryption('--backup-identity-file', file), { identities: [identity] })
  await refused(
    decryption('--backup-identity-file', file, '--backup-passphrase-file', passphraseFile),
    /^Only one of --backup-passphrase-file and --backup-identity-file can be given\.$/,
  )
  const form = /should contain an identity of age per line/
  for (const text of ['', '# nothing\n', `${identity}\nssh-ed25519 AAAA\n`])
    await refused(decryption('--backup-identity-file', secret('wrong', text)), form)
  await refused(decryption('--backup-identity-file', secret('wrong', `${identity}Q`)), /wrong cannot be used/)
  const encrypted = secret('encrypted', 'age-encryption.org/v1\n-> scrypt')
  await refused(decryption('--backup-identity-file', encrypted), /is encrypted itself: decrypt it first/)
})

test('the places are those of the options', async () => {
  const argv = ['--backup-copy-to', '/mnt/nas/dealbox', '--backup-copy-to', join(folder, 'usb')]
  assert.deepEqual(await places([...argv, '--backup-s3', S3, '--backup-s3-key-file', keyFile]), [
    '/mnt/nas/dealbox',
    join(folder, 'usb'),
    's3.example.com/backups/crm',
  ])
  for (const inside of [dataDir, join(dataDir, 'backups')])
    await refused(places(['--backup-copy-to', inside]), /is in the data folder; a second place is on another disk\.$/)
})

test('storage needs an address, keys and a region', async () => {
  const keys = ['--backup-s3-key-file', keyFile]
  const at = (url: string, ...more: string[]) => places(['--backup-s3', url, ...keys, ...more])
  await refused(places(['--backup-s3', S3]), /^--backup-s3-key-file is missing: --backup-s3 needs keys\.$/)
  await refused(places(keys), /^--backup-s3 is missing/)
  await refused(at('s3.example.com/backups'), /is not a URL\. Use a form such as https:/)
  await refused(at('s3://backups'), /is not a URL/)
  await refused(at('https://s3.example.com/'), /does not name a bucket/)
  await refused(at('https://s3.example.com/b%20c/d'), /does not name a bucket/)
  await refused(at('https://s3.example.com/backups//crm'), /names a folder that cannot be used/)
  await refused(at('https://s3.example.com/backups?list'), /must end with the bucket or a folder/)
  await refused(at('https://s3.example.com/backups/%zz'), /is not encoded correctly/)
  await refused(at(S3, '--backup-s3-region', 'Frankfurt am Main'), /is not a region\.$/)
  const withKeys = at('https://AKID:secret@s3.example.com/backups')
  await refused(withKeys, /^--backup-s3 must not contain keys; they are in the file of the keys\.$/)
  const half = secret('half', 'aws_access_key_id = AKID\n')
  await refused(places(['--backup-s3', S3, '--backup-s3-key-file', half]), /needs two lines: aws_access_key_id/)
})

test('only what is encrypted is sent in clear text over the network', async () => {
  const argv = ['--backup-s3-key-file', keyFile, '--backup-s3']
  await refused(places([...argv, 'http://nas.example/backups']), /would send all data and keys in clear text/)
  assert.deepEqual(await places([...argv, 'http://nas.example/backups'], true), ['nas.example/backups'])
  assert.deepEqual(await places([...argv, 'http://127.0.0.1:9000/backups/']), ['127.0.0.1:9000/backups'])
})

test('the service of systemd may write to the folders, and gets the files as credentials', () => {
  const options = { ...encryptionOptions, ...placeOptions }
  const values = { backupCopyTo: ['/mnt/nas/a', '/mnt/usb'], backupS3KeyFile: '/etc/s3' }
  const listen = { apiListen: '127.0.0.1:8080', screensListen: 'off' }
  const linesOf = (backupEncrypt: string[]) =>
    dropInText({ user: 'dealbox', options, values: { ...values, ...listen, backupEncrypt } })
      .split('\n')
      .slice(2, -1)
  const places = [
    'ReadWritePaths=-/mnt/nas/a',
    'ReadWritePaths=-/mnt/usb',
    'Environment="DEALBOX_BACKUP_COPY_TO=/mnt/nas/a\\n/mnt/usb"',
    'LoadCredential=backup-s3-key-file:/etc/s3',
    'Environment="DEALBOX_BACKUP_S3_KEY_FILE=%d/backup-s3-key-file"',
  ]
  assert.deepEqual(linesOf(['/etc/dealbox-passphrase']), [
    'LoadCredential=backup-encrypt:/etc/dealbox-passphrase',
    'Environment="DEALBOX_BACKUP_ENCRYPT=%d/backup-encrypt"',
    ...places,
  ])
  assert.deepEqual(linesOf(['age1a', 'age1b']), ['Environment="DEALBOX_BACKUP_ENCRYPT=age1a\\nage1b"', ...places])
})
