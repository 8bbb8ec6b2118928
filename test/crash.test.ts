import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { noDovecot } from './support/dovecot.ts'
import { seedOf } from './support/seed.ts'

/** CI does more. */
const KILLS = 4

test(`kill -9 under load, ${KILLS} times: nothing acknowledged is lost or doubled`, { skip: noDovecot }, async (t) => {
  const script = join(import.meta.dirname, 'harness/kills.ts')
  const argv = [script, '--kills', String(KILLS), '--seed', String(seedOf(20261120))]
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'pipe'] })
  t.after(() => child.kill())
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      said += chunk
    })
  const [code] = await once(child, 'close')
  assert.equal(code, 0, said)
  t.diagnostic(said.trimEnd())
})
