import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { smallFiles } from '../../../src/ops/backup/contents.ts'
import { litestreamTexts } from '../../../src/ops/install/litestream.ts'
import { BUNDLE } from '../../../src/ops/replication/bundle.ts'
import { copyFiles } from '../../../src/ops/replication/files.ts'
import type { ReplicaStorage } from '../../../src/ops/replication/replica/copy.ts'
import { folderCopy } from '../../../src/ops/replication/replica/folder.ts'
import { s3Copy } from '../../../src/ops/replication/replica/s3.ts'
import { DATABASE, openStore } from '../../../src/store/open.ts'
import { openSqlite } from '../../../src/store/sqlite/driver.ts'
import { cli, cliJson, temporaryFolder } from '../../cli/command-line.ts'
import { noGo } from '../../support/go-tools.ts'
import { noLitestream, restore, run } from '../../support/litestream.ts'
import { makeOrg } from '../../support/org.ts'
import { until } from '../../support/until.ts'
import { BUCKET, type Gateway, KEYS, startVersitygw } from '../../support/versitygw.ts'
import { makeCertificate } from '../../webhooks/egress/certificates.ts'

const folder = temporaryFolder()
const dataDir = join(folder, 'data')
const database = join(dataDir, DATABASE)
const keyFile = join(folder, 'keys')
const own = makeCertificate(2020, 2090)
const keyLines = `aws_access_key_id = ${KEYS.id}\naws_secret_access_key = ${KEYS.secret}\n`
const secret = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text, { mode: 0o600 })
  return join(folder, name)
}
secret('keys', `[default]\n${keyLines}`)
const passphrase = secret('passphrase', 'a lake in the north of it\n')

before(async () => {
  const store = openStore(dataDir, { create: true })
  await makeOrg(store, dataDir, 'Acme')
  store.close()
  writeFileSync(join(dataDir, 'dealbox.json'), '{"min-free": "64M"}', { mode: 0o600 })
})

const refused = async (pattern: RegExp, ...argv: string[]) => {
  const { code, out, err } = await cli(['replicate', ...argv])
  assert.deepEqual([code, out], [2, ''], err)
  assert.match(err, pattern)
}

describe('dealbox replicate --print', () => {
  const s3 = ['--replica', 'https://s3.example.com/bucket/crm', '--replica-key-file', keyFile]

  test('shows the files of Litestream without a secret', async () => {
    const { out } = await cli(['replicate', '--print', ...s3, '--replica-region', 'eu-1', '--user', 'crm'])
    assert.ok(!out.includes(KEYS.id) && !out.includes(KEYS.secret))
    const { files } = await cliJson('replicate', '--print', ...s3, '--replica-region', 'eu-1', '--user', 'crm')
    const [config, unit, compose] = Object.entries(files) as [string, string][]
    for (const [path, text] of [config, unit, compose] as [string, string][])
      assert.ok(out.includes(`# ${path}\n${text.trimEnd()}`), path)
    assert.equal(config?.[0], '/etc/dealbox-litestream.yml')
    assert.match(config?.[1] ?? '', /^ {2}- path: \/var\/lib\/dealbox\/dealbox\.db$/m)
    assert.match(unit?.[1] ?? '', /^User=crm$/m)
    assert.match(unit?.[1] ?? '', new RegExp(`^LoadCredential=replica-key-file:${keyFile}$`, 'm'))
    assert.match(compose?.[1] ?? '', /^ {6}DEALBOX_REPLICA: https:\/\/s3\.example\.com\/bucket\/crm$/m)
    assert.match(compose?.[1] ?? '', /^ {8}- path: \/data\/dealbox\.db$/m)
  })

  test('hands the certificates of --ca to both where the replica is reached by the network', {
    skip: own ? false : 'there is no openssl',
  }, async () => {
    const ca = secret('ca.pem', own?.cert as string)
    const { files } = await cliJson('replicate', '--print', ...s3, '--ca', ca)
    const unit = files['/etc/systemd/system/dealbox-litestream.service']
    assert.match(unit, new RegExp(`^LoadCredential=ca:${ca}\nEnvironment=SSL_CERT_FILE=%d/ca$`, 'm'))
    const compose = files['compose.replication.yaml']
    for (const line of ['DEALBOX_CA: /run/secrets/ca', 'SSL_CERT_FILE: /run/secrets/ca'])
      assert.match(compose, new RegExp(`^ {6}${line}$`, 'm'))
    assert.match(compose, new RegExp(`^ {2}ca:\n {4}file: ${ca}$`, 'm'))
    const beside = await cliJson('replicate', '--print', '--replica', '/mnt/copy', '--ca', ca)
    assert.doesNotMatch(JSON.stringify(beside), /SSL_CERT_FILE/)
  })

  test('opens the folder of a copy for both services', async () => {
    const { files } = await cliJson('replicate', '--print', '--replica', '/mnt/copy')
    assert.match(files['/etc/systemd/system/dealbox-litestream.service'], /^ReadWritePaths=-\/mnt\/copy$/m)
    assert.match(files['compose.replication.yaml'], /^ {6}- \/mnt\/copy:\/copy$/m)
    const { out } = await cli(['install', '--print', '--replicated', '--replica', '/mnt/copy'])
    assert.match(out, /^ReadWritePaths=-\/mnt\/copy$/m)
    assert.match(out, /^Environment="DEALBOX_REPLICA=\/mnt\/copy"$/m)
    assert.match(out, /^Environment="DEALBOX_REPLICATED=true"$/m)
  })

  test('opens all of it for the second primary, whose own folder in there is for Litestream to make', () => {
    const place = { folder: '/mnt/copy/epoch-00000002' }
    const given = { place, user: 'dealbox', replica: '/mnt/copy', keyFile: undefined, ca: undefined }
    const [config, unit = '', compose = ''] = Object.values(litestreamTexts('/data', given))
    assert.match(config ?? '', /^ {6}path: \/mnt\/copy\/epoch-00000002$/m)
    assert.match(unit, /^ReadWritePaths=-\/mnt\/copy$/m)
    assert.match(compose, /^ {6}- \/mnt\/copy:\/copy$/m)
    assert.match(compose, /^ {12}path: \/copy\/epoch-00000002$/m)
    assert.match(compose, /^ {6}DEALBOX_REPLICA: \/copy$/m)
  })

  test('refuses what would not work, in a sentence', async () => {
    const print = ['--print', '--replica']
    await refused(/--replica is missing/, '--print')
    await refused(/--replica is missing/, '--print', '--replica-key-file', keyFile)
    await refused(/--replica-key-file is missing/, ...print, 'https://s3.example.com/bucket/crm')
    await refused(
      /needs a folder in the bucket, such as https:\/\/s3.example.com\/bucket\/crm/,
      ...print,
      'https://s3.example.com/bucket/',
      '--replica-key-file',
      keyFile,
    )
    await refused(
      /would send all data in clear text/,
      ...print,
      'http://s3.example.com/bucket/crm',
      '--replica-key-file',
      keyFile,
    )
    await refused(
      /needs \[default\] as its first line/,
      ...print,
      'https://s3.example.com/bucket/crm',
      '--replica-key-file',
      secret('bare', keyLines),
    )
    await refused(/is neither a folder nor a https:\/\/ address/, ...print, 'sftp://host/crm')
    await refused(/is in the data folder/, ...print, join(dataDir, 'copy'), '--data', dataDir)
    await refused(/cannot be written into the files of Litestream/, ...print, '/mnt/my copy')
    await refused(
      /"BAD" is not a region/,
      ...print,
      s3[1] as string,
      '--replica-key-file',
      keyFile,
      '--replica-region',
      'BAD',
    )
    await refused(/The data folder of the service is/, '--replica', '/mnt/copy', '--data', dataDir)
    await refused(
      /passphrase-file or --backup-identity-file is missing/,
      '--fetch',
      '--replica',
      '/mnt/copy',
      '--data',
      dataDir,
    )
  })
})

describe('serve', () => {
  const fails = async (pattern: RegExp, ...argv: string[]) => {
    const { code, err } = await cli(['serve', '--data', dataDir, ...argv])
    assert.equal(code, 2)
    assert.match(err, pattern)
  }

  test('takes a copy only if it is replicated, and encrypted files only for a copy', async () => {
    await fails(/--replica needs --replicated/, '--replica', '/mnt/copy')
    await fails(/--replica-encrypt needs --replica/, '--replicated', '--replica-encrypt', passphrase)
    await fails(/neither a folder nor/, '--replicated', '--replica', 'sftp://host/crm')
  })
})

for (const kind of ['folder', 'bucket'] as const)
  describe(`a copy in a ${kind}`, { skip: kind === 'bucket' && noGo }, () => {
    let gateway: Gateway | undefined
    let copy: ReplicaStorage
    let argv: string[]
    const standby = join(folder, `standby-${kind}`)
    before(async () => {
      if (kind === 'folder') {
        const path = join(folder, 'copy')
        mkdirSync(path)
        copy = folderCopy(path)
        argv = ['--replica', path]
        return
      }
      gateway = await startVersitygw()
      const endpoint = new URL(`http://127.0.0.1:${gateway.port}`)
      copy = s3Copy({ endpoint, bucket: BUCKET, prefix: 'crm/', keys: KEYS, region: 'us-east-1' })
      argv = ['--replica', `${endpoint.origin}/${BUCKET}/crm`, '--replica-key-file', keyFile]
    })
    after(() => gateway?.stop())

    test('has small files, and of all who make one, one succeeds', async () => {
      assert.deepEqual([await copy.own(), await copy.get('none'), await copy.files(0)], [[], undefined, []])
      assert.equal(await copy.start(0, 'none.ltx', 100), undefined)
      const bytes = Buffer.from([0, 255, 128, 10])
      await copy.put('file', bytes)
      assert.deepEqual([await copy.own(), await copy.get('file')], [['file'], bytes])
      await copy.put('file', Buffer.alloc(0))
      assert.deepEqual(await copy.get('file'), Buffer.alloc(0))
      const made = await Promise.all(
        Array.from({ length: 8 }, (_, at) => copy.create('epoch', Buffer.from(`primary ${at}`))),
      )
      assert.equal(made.filter(Boolean).length, 1)
      assert.equal(String(await copy.get('epoch')), `primary ${made.indexOf(true)}`)
      assert.equal(await copy.create('epoch', Buffer.from(`primary ${made.indexOf(true)}`)), true) // again, unanswered
      assert.deepEqual((await copy.own()).sort(), ['epoch', 'file'])
    })

    test('has the keys and settings, encrypted, at the start and when they change', async () => {
      const jobs: (() => void)[] = []
      const every = (_ms: number, job: () => void) => {
        jobs.push(job)
        return () => void jobs.splice(0)
      }
      const encryption = { passphrase: 'a lake in the north of it', workFactor: 10 }
      const files = copyFiles({ dataDir, copy, encryption, every })
      await until(async () => (await copy.get(BUNDLE)) !== undefined, 'they are there')
      const first = (await copy.get(BUNDLE)) as Buffer
      for (const { content } of smallFiles(dataDir)) assert.equal(first.indexOf(content), -1)
      const fetch = (file = passphrase) =>
        cli(['replicate', '--fetch', '--data', standby, ...argv, '--backup-passphrase-file', file])
      const { code, out, err } = await fetch()
      assert.equal(code, 0, err)
      assert.match(out, /^Wrote keys\/.*, dealbox\.json into /)
      assert.deepEqual(
        smallFiles(standby).map(({ name, content }) => [name, content]),
        smallFiles(dataDir).map(({ name, content }) => [name, content]),
      )
      for (const { name } of smallFiles(standby)) assert.equal(statSync(join(standby, name)).mode & 0o077, 0, name)

      assert.match((await fetch()).out, /^All files were there already\. Left dealbox\.json as it is\.$/m)
      writeFileSync(join(standby, 'dealbox.json'), '{"min-free": "1G"}', { mode: 0o600 })
      writeFileSync(join(dataDir, 'keys/00000000000000ff.pem'), 'a key', { mode: 0o600 })
      writeFileSync(join(dataDir, 'keys/secrets copy.key'), 'of a person', { mode: 0o600 })
      for (const job of jobs) job()
      await until(async () => !(await copy.get(BUNDLE))?.equals(first), 'they are there again')
      assert.match((await fetch()).out, /^Wrote keys\/00000000000000ff\.pem into .*\. Left dealbox\.json as it is\.$/m)
      assert.equal(readFileSync(join(standby, 'dealbox.json'), 'utf8'), '{"min-free": "1G"}')
      for (const name of ['00000000000000ff.pem', 'secrets copy.key']) rmSync(join(dataDir, 'keys', name))

      const other = await fetch(secret('other', 'another lake in the north\n'))
      assert.deepEqual([other.code, files.problem()], [1, undefined])
      assert.match(other.err, /The passphrase is not the one/)
      await files.stop()
      assert.deepEqual(jobs, [])
    })

    test('is restored from what the printed configuration makes', { skip: noLitestream }, async () => {
      const printed = await cliJson('replicate', '--print', '--data', dataDir, ...argv)
      const config = join(folder, `litestream-${kind}.yml`)
      writeFileSync(config, printed.files['/etc/dealbox-litestream.yml'])
      const store = openStore(dataDir, { isReplicated: true })
      const litestream = run({ AWS_SHARED_CREDENTIALS_FILE: keyFile }, 'replicate', '-config', config)
      await until(async () => (await copy.files(0)).length > 0, 'there is a copy')
      store.transaction(() => store.db.prepare("UPDATE orgs SET name = 'Copied'").run())
      await litestream.stop()
      store.close()
      const restored = join(folder, `restored-${kind}.db`)
      restore(gateway ? { port: gateway.port, prefix: 'crm' } : { folder: join(folder, 'copy') }, restored)
      const db = openSqlite(restored, { readonly: true })
      assert.deepEqual(db.prepare('SELECT name FROM orgs').pluck().all(), ['Copied'])
      db.close()
      assert.ok(existsSync(database))
    })
  })

test('a copy whose share is not mounted is not made anew', async () => {
  const copy = folderCopy(join(folder, 'missing'))
  const [name, content] = ['a', Buffer.of(1)]
  for (const work of [() => copy.files(0), () => copy.put(name, content), () => copy.create(name, content)])
    await assert.rejects(work, { code: 'place_missing' })
  assert.ok(!existsSync(join(folder, 'missing')))
})

test('without keys and settings beside the copy, a standby is told where to get them', async () => {
  const empty = join(folder, 'empty')
  mkdirSync(empty)
  const { code, err } = await cli([
    'replicate',
    '--fetch',
    '--data',
    join(folder, 'standby'),
    '--replica',
    empty,
    '--backup-passphrase-file',
    passphrase,
  ])
  assert.equal(code, 1)
  assert.match(
    err,
    /There are no keys and settings beside the replica at .*empty\. Start the primary with --replica-encrypt/,
  )
  assert.ok(!existsSync(join(folder, 'standby')))
})

describe('the page', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/replication.md'), 'utf8')
  const lines = [...page.matchAll(/```sh\n(.*?)```/gs)].flatMap(([, block = '']) =>
    block
      .trim()
      .split('\n')
      .map((line) => line.trim()),
  )

  test('names commands that take these options', async () => {
    const named = lines.filter((line) => /^(sudo )?dealbox (replicate|install) (?!--fetch)/.test(line))
    assert.equal(named.length, 5)
    for (const line of named) {
      const words = line.replace('/etc/dealbox/replica-keys', keyFile).replace('/etc/dealbox/passphrase', passphrase)
      const argv = words.replace(/^(sudo )?dealbox /, '').split(' ')
      const { code, err } = await cli(argv.includes('--print') ? argv : [...argv, '--print'])
      assert.equal(code, 0, `${line}: ${err}`)
    }
  })

  test('says how to get a copy back', { skip: noLitestream }, async () => {
    const data = join(folder, 'back')
    mkdirSync(data)
    const [restoring = '', ...others] = lines.slice(lines.findIndex((line) => line.startsWith('litestream restore')))
    const named = (line: string) =>
      line
        .replaceAll('/mnt/copy/crm', join(folder, 'copy'))
        .replace('--data data', `--data ${data}`)
        .replace('-o data/', `-o ${data}/`)
        .replace(/passphrase$/, passphrase)
        .split(' ')
        .slice(1)
    const litestream = run({}, ...named(restoring))
    await litestream.exit
    assert.equal(others.length, 2)
    for (const line of others) {
      const { code, out, err } = await cli(named(line))
      assert.equal(code, 0, `${line}: ${out}${err}`)
    }
  })
})
