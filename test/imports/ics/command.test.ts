import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openStore } from '../../../src/store/open.ts'
import { cli, cliJson, temporaryFolder } from '../../cli/command-line.ts'

const EVENT = 'BEGIN:VEVENT\nUID:one\nSUMMARY:Demo\nDTSTART:20261201T090000Z\nDTEND:20261201T100000Z\nEND:VEVENT\n'
const calendar = (events: string) => `BEGIN:VCALENDAR\nVERSION:2.0\n${events}END:VCALENDAR\n`.replaceAll('\n', '\r\n')

/** A data folder with one organisation, and a file with this content beside it. */
async function place(content: string) {
  const folder = temporaryFolder()
  const data = join(folder, 'data')
  await cliJson('init', '--org', 'Acme', '--email', 'ana@acme.example', '--data', data)
  const file = join(folder, 'work.ics')
  writeFileSync(file, content)
  return { data, file, at: ['--data', data] }
}

function titlesIn(data: string): unknown[] {
  const { db, close } = openStore(data)
  try {
    return db.prepare('SELECT title FROM meetings ORDER BY id').pluck().all()
  } finally {
    close()
  }
}

test('import meetings says what became of them, and how to take it back', async () => {
  const { at, data, file } = await place(calendar(`${EVENT}BEGIN:VEVENT\nSUMMARY:X\nEND:VEVENT\n`))
  const { code, out, err } = await cli(['import', 'meetings', file, ...at])
  assert.equal(code, 0)
  assert.equal(out, 'Meetings: 1 created, 0 updated, 0 unchanged, 1 rejected.\n')
  assert.match(
    err,
    /^Rejected meetings, with reasons: .*work\.rejected\.ics\nTo undo the import: dealbox import --undo /,
  )
  assert.match(readFileSync(file.replace('.ics', '.rejected.ics'), 'utf8'), /X-DEALBOX-ERROR.*line 9: has no UID\r\n/)
  const again = await cli(['import', 'meetings', file, ...at])
  assert.match(
    again.out,
    /^Nothing was imported, because this file was already imported .*Z\. To import it again, use --again\.\nMeetings: 1 created/,
  )
  assert.deepEqual(titlesIn(data), ['Demo'])
})

test('--json answers the counts and the file of rejected events, --dry-run and --again do as they say', async () => {
  const { at, data, file } = await place(calendar(EVENT))
  const counts = { updated: 0, unchanged: 0, rejected: 0, rejected_file: null, imported_before: null }
  assert.deepEqual(await cliJson('import', 'meetings', file, '--dry-run', ...at), { id: null, created: 1, ...counts })
  assert.deepEqual(titlesIn(data), [])
  const { id, ...rest } = await cliJson('import', 'meetings', file, ...at)
  assert.deepEqual(rest, { created: 1, ...counts })
  const { id: second, ...others } = await cliJson('import', 'meetings', file, '--again', ...at)
  assert.deepEqual(others, { created: 0, ...counts, unchanged: 1 })
  assert.notEqual(second, id)
  assert.deepEqual(await cliJson('import', '--undo', id, ...at), { id, deleted: 1, restored: 0, kept: [] })
  assert.deepEqual(titlesIn(data), [])
})

test('a file that is none is failure, and writes nothing', async () => {
  const { at, data, file } = await place('Subject,Start\nDemo,tomorrow\n')
  const broken = join(data, '../broken.ics')
  writeFileSync(broken, Buffer.from(calendar(EVENT.replace('Demo', 'Caf\u00e9')), 'latin1'))
  for (const [message, ...argv] of [
    [/is not an iCalendar file: it does not begin with BEGIN:VCALENDAR/, file],
    [/broken\.ics is not UTF-8: line 5 has the first invalid character/, broken],
    [/cannot be read/, `${file}.not`],
  ] as [RegExp, ...string[]][]) {
    const { code, err } = await cli(['import', 'meetings', ...argv, '--json', ...at])
    assert.equal(code, 1, err)
    assert.match(err, message)
  }
  const same = await cli(['import', 'meetings', file, '--rejected', file, ...at])
  assert.deepEqual([same.code, /a different file than the imported one/.test(same.err)], [2, true])
  const { db, close } = openStore(data)
  assert.equal(db.prepare('SELECT count(*) FROM imports').pluck().get(), 0)
  close()
})

test('its help says what it takes', async () => {
  const { code, out } = await cli(['import', 'meetings', '--help'])
  assert.equal(code, 0)
  assert.match(out, /^Usage: dealbox import meetings FILE \[options\]\n\nImport meetings from a file\./)
  for (const option of ['--dry-run', '--again', '--rejected PATH', '--org ID', '--json', '--data DIR'])
    assert.ok(out.includes(`  ${option} `), option)
  assert.match((await cli(['import', '--help'])).out, /dealbox import meetings +Import meetings from a file/)
})
