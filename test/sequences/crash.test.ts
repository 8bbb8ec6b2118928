import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { resourceDeps } from '../../src/app/deps.ts'
import { applySettings } from '../../src/app/settings/document.ts'
import { contactStore } from '../../src/crm/contacts.ts'
import { random } from '../../src/demo/story/random.ts'
import { enrollmentStore } from '../../src/sequences/enrollments/enrollments.ts'
import { openStore } from '../../src/store/open.ts'
import { makeOrg } from '../support/org.ts'
import { MAIN } from '../support/program.ts'
import { seedOf } from '../support/seed.ts'
import { startSmtp } from '../support/smtp.ts'
import { becomes } from '../support/until.ts'

const ENROLLMENTS = 500
const STEPS = 2
const KILLS = Number(process.env.KILLS ?? 6)

const { int } = random(seedOf(20261122))
const messageIdOf = (source: Buffer): string => /^message-id: (<.+>)/im.exec(String(source))?.[1] ?? ''

type Row = { status: string; error: string | null; external_id: string }

test(`kill -9 in the middle of ${ENROLLMENTS} enrollments: no step is lost, and what came twice is marked`, async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'dealbox-crash-'))
  t.after(() => rmSync(dataDir, { recursive: true, force: true }))
  const smtp = await startSmtp(t)
  const { org, sequence_id } = await prepare(dataDir, smtp.server.port)
  let child: ChildProcess | undefined
  t.after(() => child?.kill('SIGKILL'))

  for (let kill = 0; kill < KILLS; kill++) {
    child = await serve(dataDir)
    await smtp.came(Math.min(smtp.mails.length + 10 + int(110), ENROLLMENTS * STEPS))
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  child = await serve(dataDir)
  const store = openStore(dataDir, {})
  t.after(() => store.close())
  await untilDone()
  child.kill('SIGTERM')
  await once(child, 'exit')

  const rows = store.db
    .prepare('SELECT status, error, external_id FROM messages WHERE org_id = ? AND enrollment_id IS NOT NULL')
    .all(org) as Row[]
  assert.equal(rows.length, ENROLLMENTS * STEPS, 'each step wrote one message')
  const came = Map.groupBy(
    smtp.mails.map(({ source }) => messageIdOf(source)),
    (id) => id,
  )
  for (const { status, error, external_id } of rows) {
    assert.equal(status, 'sent', error ?? '')
    const times = came.get(external_id)?.length ?? 0
    assert.ok(times >= 1, `${external_id} is on record as sent, and never came`)
    if (times > 1) assert.match(error ?? '', /may have arrived twice/, `${external_id} came ${times} times`)
  }
  assert.equal(came.size, rows.length, 'nothing came that is not on record')
  const doubles = smtp.mails.length - rows.length
  t.diagnostic(`${KILLS} kills, ${doubles} of ${rows.length} mails came twice`)
  const steps = store.db.prepare(
    'SELECT count(*) AS n, sum(sent_at IS NOT NULL) AS sent FROM enrollment_steps WHERE org_id = ?',
  )
  assert.deepEqual({ ...(steps.get(org) as object) }, { n: rows.length, sent: rows.length })

  async function untilDone(): Promise<void> {
    const completed = store.db.prepare(
      "SELECT count(*) FROM enrollments WHERE org_id = ? AND sequence_id = ? AND status = 'completed'",
    )
    const open = store.db.prepare("SELECT count(*) FROM messages WHERE org_id = ? AND status = 'queued'").pluck()
    completed.pluck()
    await becomes(() => [completed.get(org, sequence_id), open.get(org)], [ENROLLMENTS, 0])
  }
})

/** Creates an organisation whose contacts are all enrolled in a sequence of two mails without a pause. */
async function prepare(dataDir: string, port: number): Promise<{ org: number; sequence_id: string }> {
  const store = openStore(dataDir, { create: true })
  const { org, owner } = await makeOrg(store, dataDir, 'Acme')
  const email = (n: number) => ({ type: 'email', delay_s: n, body: `Hello {{contact.first_name}}, this is mail ${n}.` })
  applySettings(store, org, {
    mailboxes: [
      {
        key: 'main',
        name: 'Acme',
        address: 'hello@acme.example',
        is_default: true,
        smtp: { host: '127.0.0.1', port, tls: 'none' },
      },
    ],
    sequences: [
      { key: 'two', name: 'Two mails', status: 'active', steps: [{ ...email(0), subject: 'Hello' }, email(1)] },
    ],
  })
  const deps = resourceDeps(store)
  const who = { org, member: owner }
  const sequence_id = store.db.prepare('SELECT id FROM sequences WHERE org_id = ?').pluck().get(org) as string
  store.transaction(() => {
    for (let n = 0; n < ENROLLMENTS; n++) {
      const emails = [{ email: `contact${n}@firm.example`, label: 'work' as const, is_primary: true }]
      const { id } = contactStore(deps).create(who, { first_name: `Contact ${n}`, emails })
      enrollmentStore(deps).create(who, { sequence_id, contact_id: id })
    }
  })
  store.close()
  return { org, sequence_id }
}

async function serve(dataDir: string): Promise<ChildProcess> {
  const argv = ['serve', '--data', dataDir, '--api-listen', '127.0.0.1:0', '--screens-listen', 'off']
  const child = spawn(process.execPath, [MAIN, ...argv], { stdio: ['ignore', 'pipe', 'ignore'] })
  await once(child.stdout as NodeJS.ReadableStream, 'data')
  return child
}
