import assert from 'node:assert/strict'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { test } from 'node:test'
import { trustFile } from '../../../src/command/trust.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { startChild } from '../../../src/ops/replication/child.ts'
import { follow } from '../../../src/ops/replication/follow.ts'
import { temporaryFolder } from '../../cli/command-line.ts'
import { ownCertificate } from '../../support/smtp.ts'
import { until, untilIs } from '../../support/until.ts'

// A program whose note cannot be written, as on a full disk: here, because its folder is gone.

const needs = { skip: process.platform === 'win32' && 'needs a POSIX shell', timeout: 120_000 }
const folder = temporaryFolder()

test('a program without a note does not run, and has ended with the reason', needs, async (t) => {
  const note = join(folder, 'gone', 'note')
  const { isStarted, ended, stop } = startChild('sleep', ['3600'], note, () => undefined)
  t.after(stop)
  assert.equal(isStarted, true)
  const { code, said } = await ended // of the program itself, long before its time
  assert.deepEqual([code, said.length], ['ENOENT', 1])
  assert.match(said[0] as string, /no such file or directory/)
})

test('a program is told of the certificates of --ca, as programs in Go read them', needs, async () => {
  const said = async () => {
    const argv = ['-c', 'echo "$SSL_CERT_FILE"']
    return (await startChild('sh', argv, join(folder, 'note'), () => undefined).ended).said
  }
  delete process.env.SSL_CERT_FILE
  assert.deepEqual(await said(), [''])
  const file = join(folder, 'ca.pem')
  writeFileSync(file, ownCertificate().cert)
  trustFile(relative('.', file))
  assert.deepEqual(await said(), [file])
})

test('a reader whose program cannot be noted tries again until it can', needs, async () => {
  const place = join(folder, 'copy')
  const [file, go] = [join(place, 'dealbox.db'), join(folder, 'go')]
  mkdirSync(place)
  for (const name of [file, `${file}-txid`]) writeFileSync(name, '')
  const program = join(folder, 'litestream')
  writeFileSync(program, `#!/bin/sh\n[ -e '${go}' ] && exec sleep 3600\nexit 3\n`, { mode: 0o755 })
  const following = follow({ replica: 'file:///none', file, program, everyMs: 1000, log: silentLog, firstPauseMs: 1 })
  try {
    await untilIs(
      () => following.state().restarts,
      (count) => count > 0,
    )
    rmSync(place, { recursive: true })
    const { failure } = await untilIs(following.state, (state) => /no such file/.test(state.failure ?? ''))
    assert.match(failure ?? '', /no such file/)
    const { restarts } = following.state()
    await untilIs(following.state, (state) => state.restarts > restarts)
    writeFileSync(go, '')
    mkdirSync(place)
    await until(() => existsSync(`${file}-follower`))
    assert.equal(following.state().isRunning, true)
  } finally {
    await following.stop()
  }
})
