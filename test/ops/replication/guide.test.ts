import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { type Primary, startPrimary } from '../../support/copied.ts'
import { litestreamProgram, noLitestream } from '../../support/litestream.ts'
import { until, untilIs } from '../../support/until.ts'

// docs/readers.md, and what a reader is made of.

const exec = promisify(execFile)
const root = join(import.meta.dirname, '../../..')
const guide = readFileSync(join(root, 'docs/readers.md'), 'utf8')
const blocks = [...guide.matchAll(/```sh\n(.*?)```/gs)].map(([, text]) => text as string)
const needs = { skip: process.platform === 'win32' ? 'needs a POSIX shell' : noLitestream }
let primary: Primary

before(async () => {
  if (!needs.skip) primary = await startPrimary()
})
after(() => primary?.stop())

test('the commands of the guide work as they are printed', needs, async () => {
  const work = join(primary.root, 'guide')
  const bin = join(work, 'bin')
  mkdirSync(bin, { recursive: true })
  cpSync(join(primary.dataDir, 'keys'), join(work, 'reader/keys'), { recursive: true })
  const script = `#!/bin/sh\nexec '${process.execPath}' '${join(root, 'src/main.ts')}' "$@"\n`
  writeFileSync(join(bin, 'dealbox'), script, { mode: 0o755 })
  const { folder } = primary.replica as { folder: string }
  await until(() => existsSync(join(folder, 'ltx')))
  const { NODE_COMPILE_CACHE } = process.env
  const PATH = `${bin}:${dirname(litestreamProgram())}:${process.env.PATH}`
  const options = { cwd: work, env: { NODE_COMPILE_CACHE, PATH, HOME: work, TOKEN: primary.org.token } }
  assert.equal(blocks.length, 2)
  const [start = '', read = ''] = blocks
  const line = start.replace('/mnt/replica', folder).replace(/127\.0\.0\.1:809\d/g, '127.0.0.1:0')
  const server = spawn('sh', ['-ec', `exec ${line}`], options)
  try {
    let said = ''
    for (const stream of [server.stdout, server.stderr]) stream.on('data', (chunk) => void (said += chunk))
    const found = await untilIs(
      () => /api +(http:\S+)/.exec(said)?.[1],
      (url) => url !== undefined || server.exitCode !== null,
    )
    assert.ok(found, said)
    const words = read.replace('http://127.0.0.1:8080', primary.served.api).replace('http://127.0.0.1:8090', found)
    const { stdout } = await exec('sh', ['-ec', words], options)
    assert.match(stdout, /^\{"data":\[\{.*"title":"Forty desks"/)
  } finally {
    server.kill('SIGTERM')
    await once(server, 'exit')
  }
  assert.equal(existsSync(join(work, 'reader/dealbox.db-follower')), false) // its Litestream has ended, too
})

test('a reader does not have what works and sends by itself', () => {
  const imported = new Set<string>()
  const follow = (file: string): void => {
    if (imported.has(file)) return
    imported.add(file)
    const text = readFileSync(join(root, file), 'utf8')
    for (const [, from] of text.matchAll(/^(?:import|export) (?!type )[^;']*from '(\.[^']+)'/gm))
      follow(join(dirname(file), from as string))
  }
  follow('src/cli/serve/serve-reader.ts')
  assert.ok(imported.size > 300)
  for (const file of ['src/app/api.ts', 'src/site/site.ts', 'src/ops/replication/followed/reader.ts'])
    assert.ok(imported.has(file))
  const working = [
    'src/{mail,inbox/conversations,sequences/enrollments}/jobs.ts',
    'src/store/jobs/{kinds,scheduler,queue,clock,recurring-work}.ts',
    'src/cli/serve/{serve-*,recurring,setup}',
    'src/mail/{mailbox-*,outbound-*}',
    'src/lib/mail/transport/{imap,smtp}*',
  ]
  const sending = [
    'src/webhooks/delivery/delivery.ts',
    'src/webhooks/egress/{connection,delivery-*,http-*}',
    'src/ops/replication/primary.ts',
  ]
  const allowed = [
    'src/cli/serve/serve-reader.ts',
    'src/cli/serve/serve-options.ts',
    // The one URL of whoever runs it.
    'src/webhooks/egress/connection.ts',
    'src/webhooks/egress/http-post.ts',
  ]
  const never = globSync([...working, ...sending], { cwd: root })
  assert.ok(never.length > 20)
  assert.deepEqual(
    never.filter((file) => imported.has(file) && !allowed.includes(file)),
    [],
  )
  const own =
    readFileSync(join(root, 'src/cli/serve/serve-reader.ts'), 'utf8') +
    readFileSync(join(root, 'src/cli/serve/listeners.ts'), 'utf8')
  assert.doesNotMatch(own, /startBackups|openStore\b|deleteOldUploads|newSetupUrl/)
})
