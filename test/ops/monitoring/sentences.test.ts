import assert from 'node:assert/strict'
import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { mailboxStore } from '../../../src/inbox/mailboxes/mailboxes.ts'
import { MIB } from '../../../src/lib/size.ts'
import { DAY_MS, HOUR_MS, rfc3339 } from '../../../src/lib/time.ts'
import { pauseSending } from '../../../src/ops/backup/sending.ts'
import { labelled } from '../../../src/ops/backup/standing.ts'
import { lastBackup, noteBackup } from '../../../src/ops/backup/state.ts'
import { examine } from '../../../src/ops/doctor/doctor.ts'
import { noMonitoring } from '../../../src/ops/monitoring/metrics.ts'
import { lockInstance } from '../../../src/store/folder/lock.ts'
import { workOutcomes } from '../../../src/store/jobs/recurring.ts'
import { SUPPORT, setMailboxes } from '../../support/mailbox.ts'
import { startScreens } from '../../support/screens.ts'
import { startServer } from '../../support/server.ts'
import { copyOf } from './good-backup.ts'

// What an operator reads of a server in which much is wrong: of /readyz, whose words the notices and the page of operation
// have too, and of "dealbox doctor", which may name records and places.

/** Of each subject, that both know: the words of /readyz, and below those of the doctor with what to do. */
const WORDS = readFileSync(join(import.meta.dirname, 'sentences.txt'), 'utf8')

test('one server is told of in the same way by /readyz and the doctor', async (t) => {
  const server = await startServer()
  const { store, dataDir, deps } = server
  const places = labelled([
    { name: '/mnt/nas', kind: 'folder' },
    { name: '/mnt/usb', kind: 'folder' },
  ])
  const monitoring = { ...noMonitoring(), backups: () => lastBackup(dataDir), places, zoneDoubt: 'TZ is odd.' }
  const screens = await startScreens(server, { monitoring, isSendingPaused: true })
  const unlock = lockInstance(dataDir)
  t.after(async () => {
    unlock()
    await screens.stop()
    await server.stop()
  })
  const now = server.now()
  const doctor = () =>
    examine({ dataDir, backupDir: join(dataDir, 'backups'), isFull: false, minFree: 0, now: server.now })
  const said: string[] = []

  async function say(when: string, ...subjects: [ofReadyz: string, ofDoctor?: string][]): Promise<void> {
    const { body } = await screens.send('GET', '/readyz')
    const { checks } = doctor()
    said.push(`# ${when}`)
    for (const [name, other = name] of subjects) {
      const found = checks[other]
      said.push(`${name}: ${body.checks[name]?.status} ${body.checks[name]?.detail ?? ''}`)
      said.push(`  ${found?.status} ${found?.detail}`, ...(found?.advice ? [`    ${found.advice}`] : []))
    }
  }

  await say('well', ['log'], ['clock'], ['keys'], ['backup', 'backups'], ['copies'])

  const { support } = setMailboxes(server, [SUPPORT])
  const failing = { failing_since: 1, last_error: 'no', last_error_at: now, pending: 3 }
  mailboxStore(deps).saveState(server.a.org, support?.id as string, failing)
  const hook = { url: 'https://receiver.example/secret', event_types: ['*'] }
  const { id } = (await server.call('POST', '/webhooks', hook)).body
  store.db.prepare("UPDATE webhooks SET status = 'disabled' WHERE id = ?").run(id)
  store.db
    .prepare(
      `INSERT INTO jobs (org_id, id, kind, payload, due_at, tries, created_at, failed_at) VALUES (?, ?, 'x', '{}', 1, 20, 1, 1)`,
    )
    .run(server.a.org, store.clock.id())
  for (const _ of '123') await workOutcomes(store)('purge events', 'it threw')
  pauseSending(dataDir)
  truncateSync(join(dataDir, 'dealbox.db-wal'), 300 * MIB)
  const kid = readdirSync(join(dataDir, 'keys')).find((name) => name.endsWith('.pem')) as string
  rmSync(join(dataDir, 'keys', kid))
  const at = rfc3339(now)
  noteBackup(dataDir, {
    zone_doubt: 'TZ is odd.',
    failure: { since: at, at, code: 'disk_full', message: '/mnt/backups is full.' },
    copies: [
      copyOf('/mnt/nas', now - HOUR_MS, 'No such folder.', now),
      copyOf('/mnt/usb', now - 2 * DAY_MS, null, now),
    ],
  })
  const all = 'log clock keys copies jobs recurring mailboxes webhooks sending'
    .split(' ')
    .map((name) => [name] as [string])
  await say('much is wrong', ...all, ['backup', 'backups'])

  const file = join(dataDir, 'good.tar')
  writeFileSync(file, 'a backup')
  noteBackup(dataDir, {
    last: { made_at: rfc3339(now - 8 * DAY_MS), file, bytes: 8, duration_ms: 20 },
    failure: null,
    drill: { at, file, duration_ms: 1, error: 'It is damaged.' },
    copies: [copyOf('/mnt/nas', now - 8 * DAY_MS, 'No such folder.', now), copyOf('/mnt/usb', null, null, now)],
  })
  await say('the backup is old, and its drill failed', ['backup', 'backups'], ['copies'])
  noteBackup(dataDir, { last: { made_at: at, file, bytes: 8, duration_ms: 20 } })
  await say('only the drill failed', ['backup', 'backups'])

  const text = `${said
    .join('\n')
    .replaceAll(dataDir, 'FOLDER')
    .replaceAll(kid.replace('.pem', ''), 'KID')
    .replaceAll(id, 'ID')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replace(/has [\d.]+ [KM]iB/, 'has SIZE')}\n`
  assert.equal(text, WORDS)
})
