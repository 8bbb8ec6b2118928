import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type ImportOptions, importFile, type RowsImported } from '../../../src/imports/csv/import.ts'
import { journal } from '../../../src/imports/journal/journal.ts'
import { undoImport } from '../../../src/imports/journal/undo.ts'
import type { ImportObject } from '../../../src/imports/writable.ts'
import { temporaryFolder } from '../../cli/command-line.ts'
import { stillPace } from '../../support/pace.ts'
import { recordsOf } from '../../support/records.ts'
import { startServer, type TestServer } from '../../support/server.ts'

// Notes, tasks, calls, meetings and emails of other products: docs/decisions/051-activities.md

let server: TestServer
const { newRecord } = recordsOf(() => server)
const folder = temporaryFolder()
let count = 0
let ana: string
let owner: { id: string; email: string; name: string }

function imported(object: ImportObject, content: string, options: Partial<ImportOptions> = {}): Promise<RowsImported> {
  const file = join(folder, `file${count++}.csv`)
  writeFileSync(file, content)
  return importFile(server.store, { org: server.a.org, object, file, pace: stillPace, ...options })
}

const LENIENT = { rules: { lenient: true } }
const listed = async (path: string) => (await server.call('GET', path)).body.data
const newest = async (path: 'notes' | 'tasks') => (await listed(`/${path}?limit=1`))[0]
const reasons = ({ id }: RowsImported) => [...journal(server.store).rejects(server.a.org, id)].map(({ error }) => error)
const leftOut = ({ id }: RowsImported) =>
  [...journal(server.store).omissions(server.a.org, id)].map(({ column, reason }) => `${column}: ${reason}`)

before(async () => {
  server = await startServer()
  owner = (await server.call('GET', '/members/me')).body
  ana = (await newRecord('/contacts', { first_name: 'Ana', last_name: 'Ott', emails: [{ email: 'ana@ott.example' }] }))
    .id
  await newRecord('/companies', { name: 'Ott Ltd', domains: ['ott.example'] })
  await newRecord('/deals', { title: 'Chairs' })
})
after(() => server.stop())

describe('a note', () => {
  test('has its text without HTML, its links, and above it when and by whom it was written', async () => {
    await imported(
      'note',
      'Note body,Activity date,Activity assigned to,Contact email\n"<p>One &amp; <b>two</b></p><p>see <a href=""https://x.example/y"">there</a></p>",2024-05-31 14:05,Carla Gone,ana@ott.example\n',
    )
    const { body, author_id, contact_ids } = await newest('notes')
    assert.equal(body, '2024-05-31 14:05, Carla Gone\n\nOne & two\n\nsee there (https://x.example/y)')
    assert.deepEqual([author_id, contact_ids], [null, [ana]])
  })

  test('is by the member who wrote it', async () => {
    await imported('note', `Note body,Author,Contact\nMine,${owner.email},Ana Ott\n`)
    const note = await newest('notes')
    assert.deepEqual([note.body, note.author_id], ['Mine', owner.id])
  })

  test('keeps the lines of a text with a few tags, and what is no HTML as it is', async () => {
    await imported('note', 'Note body,Contact\n"a <b>b</b>\nc",Ana Ott\n"1 < 2\nand 3 > 2",Ana Ott\n')
    const [second, first] = await listed('/notes?limit=2')
    assert.deepEqual([first.body, second.body], ['a b\nc', '1 < 2\nand 3 > 2'])
  })

  test('keeps addresses between angle brackets beside tags and entities', async () => {
    const lines = ['"From: Ana <ana@x.example><br>see <https://x.example/y>"', 'R&amp;D <ana@x.example>']
    await imported('note', `Note body,Contact\n${lines.map((line) => `${line},Ana Ott\n`).join('')}`)
    const bodies = (await listed('/notes?limit=2')).map(({ body }: { body: string }) => body)
    assert.deepEqual(bodies, ['R&D <ana@x.example>', 'From: Ana <ana@x.example>\nsee <https://x.example/y>'])
  })

  test('keeps what is no element of HTML, and what stands in the place of a picture', async () => {
    const lines = [
      'Dear <your name><br>use <b>x</b> for <value/y> &amp; more',
      '<p>a<o:p></o:p><img src=""https://x.example/l.png"" alt=""Our logo""></p>',
    ]
    await imported('note', `Note body,Contact\n${lines.map((line) => `"${line}",Ana Ott\n`).join('')}`)
    const bodies = (await listed('/notes?limit=2')).map(({ body }: { body: string }) => body)
    assert.deepEqual(bodies, ['a Our logo https://x.example/l.png', 'Dear <your name>\nuse x for <value/y> & more'])
  })

  test('is rejected without anything that it is about', async () => {
    const done = await imported('note', 'Note body,Contact\nAlone,\nOf a stranger,Zoe Who\n', LENIENT)
    assert.deepEqual([done.created, done.rejected], [0, 2])
    for (const reason of reasons(done)) assert.match(reason, /must have at least one contact/)
  })

  test('that came in with its contact is the same one', async () => {
    await imported('contact', 'Email,Last name,Notes\nsame@note.example,Same,Only once\n')
    const done = await imported(
      'note',
      'Note ID,Note body,Contact email,Company\n77,Only once,same@note.example,Ott Ltd\n',
    )
    assert.deepEqual([done.created, done.updated], [0, 1])
    const all = (await listed('/notes?q=once')).filter(({ body }: { body: string }) => body === 'Only once')
    assert.deepEqual([all.length, all[0].company_ids.length], [1, 1])
  })
})

describe('a task', () => {
  test('has its type, state, priority, owner, time and what it is about; what has no field is kept in the text', async () => {
    await imported(
      'task',
      `Task Title,Task Type,Task Status,Priority,Due date,Assigned to,Task notes,Contact,Company,Deal
Visit,Site visit,Waiting,HIGH,2031-05-31,${owner.name},<div>one</div><div>two</div>,ana@ott.example;,ott.example,Chairs
`,
    )
    const { id, contact_ids, company_ids, deal_ids, ...task } = await newest('tasks')
    assert.deepEqual([contact_ids.length, company_ids.length, deal_ids.length], [1, 1, 1])
    assert.equal(task.title, 'Visit')
    assert.equal(task.body, 'one\ntwo\n\nTask Type: Site visit\nTask Status: Waiting')
    const { type, status, priority, owner_id, completed_at } = task
    assert.deepEqual([type, status, priority, owner_id, completed_at], ['todo', 'open', 'high', owner.id, null])
  })

  test('is due on a day at a time that has a column of its own, in the zone of the organisation', async () => {
    const { timezone } = (await server.call('GET', '/members/me')).body
    assert.ok(timezone)
    await imported(
      'task',
      'Subject,Type,Due date,Due time,Done\nA,Lunch,2031-01-31,14:30,To do\nB,Call,2031-01-31,soon,To do\n',
      LENIENT,
    )
    const [b, a] = await listed('/tasks?limit=2')
    assert.equal(
      Date.parse(a.due_at) % 86_400_000 !== Date.parse(`${a.due_at.slice(0, 10)}T00:00:00Z`) % 86_400_000,
      true,
    )
    assert.deepEqual([a.type, a.status, b.due_at], ['meeting', 'open', null])
  })

  test('was done when it was, not when it is imported', async () => {
    await imported(
      'task',
      'Subject,Type,Done,Due date,Completed at\nA,Task,Done,2024-01-31T10:00Z,2024-02-01T09:00Z\nB,Task,Done,2024-01-31T10:00Z,\n',
    )
    const [b, a] = await listed('/tasks?limit=2')
    assert.deepEqual([a.completed_at, b.completed_at], ['2024-02-01T09:00:00.000Z', '2024-01-31T10:00:00.000Z'])
  })

  test('that was a call, a meeting or an email is done, if its time is past and nobody says otherwise', async () => {
    await imported(
      'task',
      'Call notes,Activity date,Call direction,Contact\n"Talked about\nchairs",2024-01-31T10:00Z,Inbound,Ana Ott\n',
    )
    const call = await newest('tasks')
    assert.deepEqual([call.type, call.status, call.title], ['call', 'done', 'Talked about'])
    assert.match(call.body, /chairs\n\nCall direction: Inbound$/)
    await imported(
      'task',
      'Meeting name,Meeting start time,Meeting outcome\nPlan,2031-01-31T10:00Z,\nOld,2024-01-31T10:00Z,Canceled\n',
    )
    const [old, plan] = await listed('/tasks?limit=2')
    assert.deepEqual([plan.type, plan.status, old.status], ['meeting', 'open', 'canceled'])
  })

  test('of all kinds in one file: a row that is a note becomes one', async () => {
    const done = await imported(
      'task',
      'Activity type,Subject,Activity date,Contact\nNote,Liked it,2024-01-31,Ana Ott\nCall,Ring,2024-01-31,Ana Ott\n',
    )
    assert.deepEqual(done.made, { note: 1, task: 1 })
  })

  test('keeps in the text of a note what only a task has a field for', async () => {
    const columns = 'Activity type,Subject,Notes,Status,Priority,Done,Completed at,Contact'
    await imported('task', `${columns}\nNote,Liked it,Very much,Open,High,yes,2024-02-01,Ana Ott\n`)
    const { body } = await newest('notes')
    assert.match(body, /Very much\n\nStatus: Open\nPriority: High\nDone: yes\nCompleted at: 2024-02-01$/)
  })
})

describe('ids of the product', () => {
  test('come before names, and what is not found is left out or rejects the row', async () => {
    await imported('contact', 'Record ID,First name,Lifecycle Stage\n9,Nine,lead\n10,Ten,lead\n')
    const header = 'Record ID,Note body,Associated Contact IDs,Associated Contact\n'
    const strict = await imported('note', `${header}1,One,9;404,Ana Ott\n`)
    assert.match(
      reasons(strict).join(),
      /^line \d+: contact_ids does not match any contact of this organisation: "404"|contact_ids does/,
    )
    const done = await imported('note', `${header}1,One,9;10;404,Ana Ott\n2,Two,405,Ana Ott\n`, LENIENT)
    assert.equal(done.created, 2)
    assert.deepEqual(leftOut(done), ['Associated Contact IDs: "404" does not match any contact of this organisation'])
    const [two, one] = await listed('/notes?limit=2')
    assert.deepEqual([one.contact_ids.length, two.contact_ids], [2, [ana]])
  })

  test('of Salesforce say of what kind the record is, with 15 characters as with 18', async () => {
    await imported('contact', 'Contact ID,Last Name\n0035g00000ABCde,Short\n')
    await imported('company', 'Account ID,Account Name\n0015g00000abcDEAAY,Long\n')
    const done = await imported(
      'task',
      'Id,Subject,WhoId,WhatId,Status\n00T1,Ring,0035g00000ABCdeAAG,0015g00000abcDE,Completed\n00T2,Case,000000000000000AAA,5005g00000abcDEAAY,Completed\n',
      LENIENT,
    )
    const [other, ring] = await listed('/tasks?limit=2')
    assert.deepEqual([ring.contact_ids.length, ring.company_ids.length, other.contact_ids], [1, 1, []])
    assert.deepEqual(leftOut(done), ['WhatId: is the id of something that is not imported: "5005g00000abcDEAAY"'])
  })

  test('keep the notes and tasks of a second file of an unknown product apart', async () => {
    await imported('task', 'ID,Subject,Due date\n1,First,2031-01-31\n')
    const other = await imported('task', 'ID,Subject,Due date\n1,Second,2031-01-31\n')
    assert.match(reasons(other).join(), /The id "1" is that of another task/)
    const named = await imported('task', 'ID,Subject,Due date\n1,Second,2031-01-31\n', { product: 'mine' })
    assert.equal(named.created, 1)
  })
})

describe('the same file again', () => {
  const FILE = 'Subject,Due date,Done,Contact\nOnce,2031-01-31,To do,Ana Ott\nOnce more,,To do,\n'

  test('doubles nothing, with ids or without', async () => {
    for (const content of [
      FILE,
      `Activity - ID,${FILE.replace('\nOnce,', '\n501,Once,').replace('\nOnce more', '\n502,Once more')}`,
    ]) {
      const first = await imported('task', content)
      assert.equal(first.created, 2)
      const again = await imported('task', content, { again: true })
      assert.deepEqual([again.created, again.updated, again.unchanged], [0, 0, 2])
    }
  })

  test('keeps two tasks that differ in their state alone apart, without ids, and a row that is there twice is one', async () => {
    const file = `Task title,Status,Contact\nSend both,Open,Ana Ott\nSend both,Done,Ana Ott\nSend both,Open,Ana Ott\n`
    for (const [options, meant] of [[{}, [2, 0, 1]] as const, [{ match: 'external_id' }, [0, 0, 3]] as const]) {
      const done = await imported('task', file, { again: true, ...options })
      assert.deepEqual([done.created, done.updated, done.unchanged], meant)
    }
    const all = (await listed('/tasks?limit=100')).filter(({ title }: { title: string }) => title === 'Send both')
    assert.equal(all.length, 2)
  })

  test('tells rows without ids apart by those before them, also where an import goes on', async () => {
    const many = Array.from({ length: 700 }, (_, n) => `Filler ${n},Open,Ana Ott`).join('\n')
    const file = `Task title,Status,Contact\nPack it,Open,Ana Ott\n${many}\nPack it,Done,Ana Ott\nPack it,Open,Ana Ott\n`
    const stop = new AbortController()
    const stopped = imported('task', file, { signal: stop.signal, onProgress: () => stop.abort() })
    await assert.rejects(stopped, { code: 'stopped', message: /after 500 of 703 rows/ })
    const done = await imported('task', file)
    assert.deepEqual([done.created, done.updated, done.unchanged], [702, 0, 1])
    const states = server.store.db.prepare("SELECT status FROM tasks WHERE title = 'Pack it' ORDER BY 1").pluck().all()
    assert.deepEqual(states, ['done', 'open'])
  })

  test('changes what has changed there with --match external_id, but opens nothing that is done here', async () => {
    const row = (title: string, done: string, more = '') =>
      `Activity - ID,Subject,Done,Contact\n601,${title},${done},${more}\n`
    await imported('task', row('Then', 'To do'))
    const { id } = await newest('tasks')
    await server.call('PATCH', `/tasks/${id}`, { status: 'done' })
    const done = await imported('task', row('Now', 'To do', 'Ana Ott'), { match: 'external_id' })
    assert.equal(done.updated, 1)
    const { title, status, contact_ids } = (await server.call('GET', `/tasks/${id}`)).body
    assert.deepEqual([title, status, contact_ids], ['Now', 'done', [ana]])
    await undoImport(server.store, { org: server.a.org, id: done.id, pace: stillPace })
    const back = (await server.call('GET', `/tasks/${id}`)).body
    assert.deepEqual([back.title, back.status, back.contact_ids], ['Then', 'done', []])
  })

  test('that is our own export changes nothing, with --match or without', async () => {
    for (const object of ['note', 'task'] as const)
      for (const match of [undefined, 'external_id'] as const) {
        const rows: object[] = await listed(`/${object}s?limit=100`)
        const seq = server.lastSeq()
        const done = await imported(object, rows.map((row) => JSON.stringify(row)).join('\n'), { match })
        assert.deepEqual([done.unchanged, reasons(done)], [rows.length, []])
        assert.equal(server.lastSeq(), seq)
      }
  })

  test('comes in again once it was taken back', async () => {
    const content = 'Note ID,Note body,Contact\n701,Back,Ana Ott\n'
    const first = await imported('note', content)
    const undone = await undoImport(server.store, { org: server.a.org, id: first.id, pace: stillPace })
    assert.deepEqual([undone.deleted, undone.kept], [1, []])
    assert.equal((await imported('note', content)).created, 1)
  })
})

describe('a file of something else is refused, with the command for it', () => {
  const TASKS = 'Record ID,Task Title,Task Status,Due date\n1,A,Completed,2031-01-31\n'
  const NOTES = 'Record ID,Note body,Associated Contact IDs\n1,A,9\n'
  const CASES: [ImportObject, string, RegExp][] = [
    ['deal', TASKS, /are those of tasks.*"dealbox import tasks"/],
    ['deal', 'Activity - Subject,Activity - Type,Activity - Due date\nA,Call,2031-01-31\n', /"dealbox import tasks"/],
    ['contact', 'Id,WhoId,WhatId,Subject,ActivityDate\n1,,,A,2031-01-31\n', /"dealbox import tasks"/],
    ['company', NOTES, /are those of notes.*"dealbox import notes"/],
    ['note', TASKS, /"dealbox import tasks"/],
    ['task', NOTES, /"dealbox import notes"/],
    [
      'task',
      'First name,Last name,Email,Job title\nA,B,a@b.example,Boss\n',
      /are those of contacts.*"dealbox import contacts"/,
    ],
    ['note', 'Deal Name,Deal Stage,Amount,Description\nA,Open,1,x\n', /are those of deals.*"dealbox import deals"/],
    [
      'task',
      'Name,Company Domain Name,Description\nA,a.example,x\n',
      /are those of companies.*"dealbox import companies"/,
    ],
    ['task', 'Fax,Colour\n1,red\n', /No column was recognised as title, body, type/],
  ]
  for (const [object, content, sentence] of CASES)
    test(`${content.split('\n')[0]} as ${object}`, async () => {
      await assert.rejects(imported(object, content), sentence)
    })

  test('but not a list of tasks with emails and phones, nor contacts with notes', async () => {
    assert.equal(
      (await imported('task', 'Title,Due date,Status,Email,Phone\nA,2031-01-31,Open,ana@ott.example,1\n')).created,
      1,
    )
    assert.equal(
      (await imported('contact', 'First name,Last name,Notes,Last Activity Date\nA,B,x,2024-01-31\n')).created,
      1,
    )
    assert.equal(
      (await imported('deal', 'Deal,Subject,Amount,Stage,Due date\nA,x,1,Qualified,2031-01-31\n')).rejected,
      0,
    )
  })
})
