import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { cli, cliJson, temporaryFolder } from './command-line.ts'

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
  const { out } = await cli(['seed', '--data', other, '--as-of', '2026-11-20'])
  assert.equal(
    out,
    `Created 120 deals, 40 companies, ${contacts} contacts, ${notes} notes, ${tasks} tasks, ${meetings} meetings, ${conversations} conversations with ${messages} messages, ${lists} lists, 12 tags and 6 members.\n`,
  )
})
