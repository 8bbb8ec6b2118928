import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'

/**
 * Imports point one way: a file may use its own room and those before it in this list. A room is a folder below src, or a
 * single file that stands elsewhere than the rest of its folder; a file belongs to the room that names most of its path.
 */
const ROOMS = [
  'lib',
  'lib/metrics',
  'lib/calendar',
  'lib/written',
  'lib/html',
  'lib/captions',
  'lib/icalendar',
  'assets.ts',
  'config.ts',
  'config',
  'store',
  'store/list',
  'audit',
  'webhooks/egress',
  'mail',
  'mail/parse',
  'mail/transport',
  'mail/oauth',
  'events',
  'auth',
  'http',
  'backup/files',
  'backup/encryption',
  'backup',
  'deps.ts',
  'settings',
  'crm/custom-fields',
  'crm/records',
  'filters',
  'crm',
  'crm/members',
  'crm/stages',
  'crm/close-reasons',
  'crm/deals',
  'crm/contacts',
  'crm/companies',
  'crm/lists',
  'meetings',
  'inbox/hours',
  'inbox/sla',
  'inbox/mailboxes',
  'inbox/conversations',
  'inbox/messages',
  'meetings/invitations',
  'sequences/sequences',
  'sequences/enrollments',
  'crm/merges',
  'crm/bin',
  'personal',
  'webhooks',
  'settings/document.ts',
  'settings/defaults.ts',
  'settings/new-org.ts',
  'events/reactions.ts',
  'resource-deps.ts',
  'crm/erasure',
  'imports',
  'imports/journal',
  'imports/csv',
  'imports/pasted',
  'imports/ics',
  'exports',
  'backup/places',
  'backup/places/s3',
  'replication/copy',
  'replication',
  'mail/sync',
  'demo/words',
  'demo/story',
  'demo/replay',
  'webhooks/delivery',
  'jobs',
  'moves',
  'notify',
  'app.ts',
  'screens/html.ts',
  'screens/reference',
  'screens/unsubscribe',
  'screens/page',
  'screens/live',
  'screens/parts.ts',
  'screens/handler.ts',
  'screens/live/stream-handler.ts',
  'screens/live/presence-handler.ts',
  'screens/sessions',
  'screens/monitoring',
  'screens/app',
  'screens',
  'doctor',
  'cli',
  'main.ts',
]

const root = join(import.meta.dirname, '..')

/** The place in the list of the room that the path belongs to; -1 for none. */
function roomOf(path: string): number {
  for (let part = path.replace(/^src\//, ''); part !== '.'; part = dirname(part)) {
    const room = ROOMS.indexOf(part)
    if (room >= 0) return room
  }
  return -1
}

test('imports point one way, and no file is outside of the rooms', () => {
  const files = globSync('src/**/*.ts', { cwd: root }).filter((file) => !file.startsWith('src/web/'))
  assert.ok(files.length > 40)
  const wrong: string[] = []
  for (const file of files) {
    assert.ok(roomOf(file) >= 0, `${file} is in no room`)
    for (const [, target] of readFileSync(join(root, file), 'utf8').matchAll(/(?:from|import\() ?'(\.[^']+)'/g)) {
      const imported = relative(root, join(root, file, '..', target as string))
      if (imported.startsWith('src/') && roomOf(imported) > roomOf(file)) wrong.push(`${file} imports ${imported}`)
    }
  }
  assert.deepEqual(wrong, [])
})

test('modules of node are not imported while the server runs: in the executable that prints a warning', () => {
  for (const file of globSync('src/**/*.{ts,tsx,cjs}', { cwd: root }))
    assert.doesNotMatch(
      readFileSync(join(root, file), 'utf8'),
      /(?<!typeof )\bimport\(\s*['"`]node:/,
      `${file}: use process.getBuiltinModule`,
    )
})

test('files stay short', () => {
  for (const file of globSync('src/**/*.{ts,tsx}', { cwd: root })) {
    const lines = readFileSync(join(root, file), 'utf8').split('\n').length - 1
    assert.ok(lines <= 300, `${file} has ${lines} lines; over 300 it becomes a folder`)
  }
})
