import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { DAY_MS } from '../../src/lib/time.ts'
import { openStore } from '../../src/store/open.ts'
import { cli, cliJson, temporaryFolder } from '../cli/command-line.ts'

const folder = temporaryFolder()

async function init(name: string): Promise<string> {
  const data = join(folder, name)
  await cliJson('init', '--data', data, '--org', 'Acme', '--email', 'ana@acme.example')
  return data
}

test('a seed tells how many records of each kind it made', async () => {
  const [one, other] = [await init('one'), await init('other')]
  const made = await cliJson('seed', '--data', one, '--as-of', '2026-11-20')
  const { profile, seed, as_of, deals, companies, members, tags } = made
  assert.deepEqual([profile, seed, as_of], ['demo', 1, '2026-11-20'])
  assert.deepEqual([deals, companies, members, tags], [120, 40, 6, 12])
  const { contacts, notes, tasks, meetings, conversations, messages, lists } = made
  assert.ok(contacts > 90 && meetings > 35 && conversations > 60 && messages > 2 * conversations)
  const entries: { action: string; detail: object }[] = await cliJson('audit', '--data', one)
  assert.deepEqual(
    entries.slice(1).map(({ action, detail }) => [action, detail]),
    [
      ['seed.started', {}],
      ['seed.finished', { profile: 'demo' }],
    ],
  )
  const { out } = await cli(['seed', '--data', other, '--as-of', '2026-11-20'])
  assert.equal(
    out,
    `Created 120 deals, 40 companies, ${contacts} contacts, ${notes} notes, ${tasks} tasks, ${meetings} meetings, ${conversations} conversations with ${messages} messages, ${lists} lists, 12 tags and 6 members.\n`,
  )
})

test('a seed writes no events that a server would purge at once', async () => {
  const data = await init('recent')
  const before = Date.now()
  await cliJson('seed', '--data', data)
  const { db, close } = openStore(data)
  try {
    const [first, ...others] = db.prepare('SELECT seq, at FROM events WHERE seq > 1 ORDER BY seq').all() as {
      seq: number
      at: number
    }[]
    assert.ok(first && others.length > 100)
    assert.ok([first, ...others].every(({ at }) => at >= before - 30 * DAY_MS))
    // The others have their places in the stream, as if they had been purged.
    assert.ok(first.seq > 500)
    assert.deepEqual(
      others.map(({ seq }) => seq),
      others.map((_, index) => first.seq + 1 + index),
    )
    assert.equal(db.prepare('SELECT last_seq FROM orgs').pluck().get(), first.seq + others.length)
  } finally {
    close()
  }
})
