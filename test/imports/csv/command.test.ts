import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { openStore } from '../../../src/store/open.ts'
import { cli, cliJson, dealbox, temporaryFolder } from '../../cli/command-line.ts'
import { MAIN } from '../../support/program.ts'

/** A data folder with one organisation, and a file with this content beside it. */
async function place(content: string, name = 'people.csv') {
  const folder = temporaryFolder()
  const data = join(folder, 'data')
  await cliJson('init', '--org', 'Acme', '--email', 'ana@acme.example', '--data', data)
  const file = join(folder, name)
  writeFileSync(file, content)
  return { data, file, at: ['--data', data] }
}

test('the mapping is shown first, then what became of the rows', async () => {
  const { at, file } = await place('Vorname;E-Mail;Fax\nAna;ana@x.example;1\nBo;nix;2\n')
  const { code, out, err } = await dealbox(['import', 'contacts', file, ...at])
  assert.equal(code, 0)
  assert.match(out, /^Rows: 1 created, 0 updated, 0 unchanged, 1 rejected\.$/m)
  assert.match(
    err,
    /^COLUMN +FIELD +FIRST VALUE\nVorname +first_name +Ana\nE-Mail +emails +ana@x.example\nFax +not imported +1\n/,
  )
  assert.match(err, /Rejected rows, with reasons: .*people\.rejected\.csv\nTo undo the import: dealbox import --undo /)
})

test('--json answers the counts, the mapping and the file of rejected rows', async () => {
  const { at, file, data } = await place('Name;Umsatz\nAna AG;1.234\nBo AG;\n')
  const { id, ...rest } = await cliJson('import', 'companies', file, ...at)
  const rejected_file = file.replace('.csv', '.rejected.csv')
  assert.deepEqual(rest, {
    created: 1,
    updated: 0,
    unchanged: 0,
    rejected: 1,
    rejected_file,
    imported_before: null,
    left_out: [],
    left_out_file: null,
    made: { company: 1 },
    new_tags: [],
    encoding: 'utf-8',
    mapping: [
      { column: 'Name', field: 'name' },
      { column: 'Umsatz', field: 'annual_revenue' },
    ],
    formats: [],
    not_imported: [],
    unused_values: [],
    remarks: [],
    source: null,
    with_lenient: null,
  })
  assert.match(readFileSync(rejected_file, 'utf8'), /is ambiguous; use --decimal/)
  const said = await cliJson('import', 'companies', rejected_file, '--decimal', 'comma', ...at)
  assert.deepEqual([said.created, said.rejected, said.rejected_file], [1, 0, null])
  assert.deepEqual(await cliJson('import', '--undo', id, ...at), { id, deleted: 1, restored: 0, kept: [] })
  const { db, close } = openStore(data)
  assert.deepEqual(db.prepare('SELECT name, annual_revenue_micros / 1000000 AS revenue FROM companies').all(), [
    { name: 'Ana AG', revenue: 1234 },
  ])
  close()
})

test('a dry run shows how the cells that could mean two things are read, and what shows that', async () => {
  const { at, file } = await place(
    'Deal,Amount,Close Date\nOne,25.000,03/04/2027\nTwo,"1.234,50",03/15/2027\nThree,9.000,04/05/2027\n',
    'deals.csv',
  )
  const run = (...more: string[]) => cliJson('import', 'deals', file, '--dry-run', ...more, ...at)
  const { formats, rejected } = await run()
  assert.equal(rejected, 0)
  assert.deepEqual(formats, [
    { column: 'Amount', cell: '25.000', read_as: '25,000', because: '1.234,50', line: 3 },
    { column: 'Close Date', cell: '03/04/2027', read_as: '2027-03-04', because: '03/15/2027', line: 3 },
  ])
  const { out } = await cli(['import', 'deals', file, '--dry-run', ...at])
  assert.match(out, /^Amount +25\.000 +25,000 +line 3: 1\.234,50$/m)
  // Set by hand: what is not so is rejected.
  const said = await run('--decimal', 'point', '--dates', 'dmy')
  assert.deepEqual(said.formats, [
    { column: 'Amount', cell: '25.000', read_as: '25', because: '--decimal', line: null },
    { column: 'Close Date', cell: '03/04/2027', read_as: '2027-04-03', because: '--dates', line: null },
  ])
  assert.equal(said.rejected, 1)
})

test('a single column is told how it is read', async () => {
  const { at, file } = await place(
    'Name,Revenue,Fee=,Born,Met\nAna,1.500,2.500,03/04/1980,05/06/2026\n',
    'contacts.csv',
  )
  const map = 'Revenue=custom.revenue:number,Fee==custom.fee:number,Born=custom.born:date,Met=custom.met:date'
  const run = (...more: string[]) => cliJson('import', 'contacts', file, '--dry-run', '--map', map, ...more, ...at)
  const read = async (...more: string[]) => {
    const { formats } = await run(...more)
    return Object.fromEntries(
      formats.map((each: Record<string, string>) => [each.column, `${each.read_as} ${each.because}`]),
    )
  }
  assert.equal((await run()).rejected, 1)
  assert.deepEqual(
    await read('--decimal', 'Fee==comma', '--decimal', 'point', '--dates', 'born=mdy', '--dates', 'dmy'),
    {
      Revenue: '1.5 --decimal',
      'Fee=': '2,500 --decimal',
      Born: '1980-03-04 --dates',
      Met: '2026-06-05 --dates',
    },
  )
  // What is said of one column alone leaves the others as they are.
  assert.deepEqual(Object.keys(await read('--decimal', 'Revenue=comma', '--dates', 'Born=dmy')), ['Revenue', 'Born'])
  for (const [message, ...options] of [
    [/--decimal: the file has no column "Costs"\. Its columns are "Name"/, '--decimal', 'Costs=comma'],
    [/--decimal: the column "Name" is imported neither/, '--decimal', 'Name=comma'],
    [/--dates: the column "Revenue" is imported neither/, '--dates', 'Revenue=dmy'],
    [/--dates must be one of dmy, mdy, ymd/, '--dates', 'Born=ydm'],
    [/--dates names the column "Born" more than once/, '--dates', 'Born=dmy', '--dates', 'BORN=mdy'],
    [/--decimal is given more than once for all columns/, '--decimal', 'point', '--decimal', 'comma'],
  ] as [RegExp, ...string[]][]) {
    const { code, err } = await cli(['import', 'contacts', file, '--map', map, ...options, ...at])
    assert.equal(code, 2)
    assert.match(err, message)
  }
})

test('--dry-run, --map, --dates and --rejected do as they say', async () => {
  const { at, file, data } = await place('Deal,When,Worth\nOne,11/12/2026,5\nTwo,soon,6\n', 'deals.csv')
  const rejected = join(data, 'elsewhere.csv')
  const options = ['--map', 'Worth=amount,When=expected_close_date', '--dates', 'mdy', '--rejected', rejected, ...at]
  const dry = await cliJson('import', 'deals', file, '--dry-run', ...options)
  assert.deepEqual([dry.id, dry.created, dry.rejected], [null, 1, 1])
  const { created } = await cliJson('import', 'deals', file, ...options)
  assert.equal(created, 1)
  assert.ok(existsSync(rejected) && !existsSync(file.replace('.csv', '.rejected.csv')))
  const { db, close } = openStore(data)
  const deals = db
    .prepare('SELECT title, amount_micros / 1000000 AS amount, expected_close_date AS day FROM deals')
    .all()
  assert.deepEqual(deals, [{ title: 'One', amount: 5, day: '2026-11-12' }])
  close()
})

test('a dry run prints the command that would import more, and what that would leave out', async () => {
  const { at, data } = await place('')
  const folder = temporaryFolder()
  const file = join(folder, "it's here.csv")
  writeFileSync(file, 'Name,Email,Owner,Fax\nAna,ana@x.example,Max,1\nBo,nix,,2\n,nix,,3\n')
  const given = ['--map-value', 'Name:Bo=Bob', '--map-value', 'Owner:Eve=Ana', ...at]
  const { out, err } = await cli(['import', 'contacts', file, '--dry-run', ...given])
  assert.equal(
    out,
    `Would be: 0 created, 0 updated, 0 unchanged, 3 rejected.
Columns not imported: 1 (Fax).
No cell has the value of --map-value "Owner:Eve=Ana".
With --lenient, 2 more of the rows would come in (2 created, 0 updated, 0 unchanged, 1 rejected), without the values that are wrong:
  dealbox import contacts '${file.replace("'", "'\\''")}' --map-value Name:Bo=Bob --map-value Owner:Eve=Ana --lenient --data ${data}
Left out of these rows:
COLUMN  VALUES  FIRST REASON
Owner   1       does not match any member of this organisation: "Max"
Email   1       must be an email address, not "nix"
To leave out less: --unknown-owner EMAIL, --map-value "Column:value=replacement".
`,
  )
  assert.match(err, /To write the rejected rows and the reasons to a file, use --rejected PATH\.\n$/)
  const dry = await cliJson('import', 'contacts', file, '--dry-run', ...given)
  assert.deepEqual([dry.created, dry.left_out, dry.not_imported], [0, [], ['Fax']])
  assert.deepEqual(dry.unused_values, ['Owner:Eve=Ana'])
  assert.deepEqual(
    [
      dry.with_lenient.created,
      dry.with_lenient.left_out.map(({ column, count }: Record<string, unknown>) => [column, count]),
    ],
    [
      2,
      [
        ['Owner', 1],
        ['Email', 1],
      ],
    ],
  )
  assert.deepEqual(readdirSync(folder), ["it's here.csv"])
  const [line = ''] = out.split('\n').filter((each) => each.startsWith('  dealbox'))
  const words = execFileSync('sh', ['-c', `printf '%s\\n' ${line.trim().slice('dealbox '.length)}`], {
    encoding: 'utf8',
  })
  const done = await cliJson(...words.trim().split('\n'))
  assert.deepEqual([done.created, done.rejected, done.left_out.length], [2, 1, 2])
  assert.equal(readFileSync(done.left_out_file, 'utf8').split('\r\n').length, 4)
  assert.match(done.left_out_file, /it's here\.left-out\.csv$/)
  const { db, close } = openStore(data)
  assert.deepEqual(db.prepare('SELECT name FROM contacts ORDER BY name').pluck().all(), ['Ana', 'Bob'])
  close()
})

test('an import says how to bring in what it rejected, and --rejected says where both lists are', async () => {
  const { at, file } = await place('Title,Amount,Stage\nOne,much,Sent\nTwo,5,Sent\n', 'deals.csv')
  const strict = await dealbox(['import', 'deals', file, ...at])
  assert.match(
    strict.err,
    /\nTo import rejected rows without what is wrong: dealbox import deals \S+\/deals\.rejected\.csv --lenient --data \S+\n/,
  )
  const rejected = join(file, '../lists.csv')
  const given = ['--lenient', '--make-stages', '--rejected', rejected, ...at]
  const { out, err } = await cli(['import', 'deals', file, ...given])
  assert.match(
    out,
    /^Rows: 2 created, 0 updated, 0 unchanged, 0 rejected\.\nStages of the file that your pipelines lack:\n/,
  )
  assert.match(out, /^Sent +2 +open; the stage is made\nLeft out of these rows:\n.*\nAmount +1 /m)
  assert.match(out, /^Also made: 1 stage\.$/m)
  assert.match(err, /Left-out values, with reasons: .*lists\.left-out\.csv\n/)
  assert.equal(existsSync(rejected), false)
  const asked = await cli(['import', 'deals', file, '--unknown-contacts', 'forget', ...at])
  assert.deepEqual(
    [asked.code, asked.err.split('\n')[0]],
    [2, '--unknown-contacts must be one of make, omit, reject. See "dealbox import deals --help".'],
  )
})

test('an import of deals says what it takes new stages for', async () => {
  const { at, file } = await place(
    'Title,Stage\nOne,Abgeschlossen\nTwo,Lost - no need\nThree,Abgeschlossen\nFour,Pilot\n',
  )
  const { out } = await cli(['import', 'deals', file, '--dry-run', '--make-stages', ...at])
  assert.match(out, /^Abgeschlossen +2 +not clear: use --won-stage, --lost-stage or --open-stage with this name$/m)
  assert.match(out, /^Lost - no need +1 +lost$/m)
  assert.match(out, /^Pilot +1 +open; the stage is made$/m)
  const options = ['--make-stages', '--won-stage', 'abgeschlossen', '--open-stage', 'Pilot project', ...at]
  const { created, stages, unused_stages } = await cliJson('import', 'deals', file, ...options)
  assert.deepEqual([created, unused_stages], [4, ['Pilot project']])
  assert.deepEqual(stages[0], { stage: 'Abgeschlossen', as: 'won', deals: 2 })
  const twice = await cli(['import', 'deals', file, '--won-stage', 'A', '--lost-stage', 'a', ...at])
  assert.deepEqual([twice.code, /"A" can be only one of --won-stage/.test(twice.err)], [2, true])
})

test('an option that repeats is one per line in the environment', async () => {
  const { at, file } = await place('Name,Source\nAna,a\nBo,b\n')
  const env = { DEALBOX_MAP_VALUE: 'Source:a=first\nSource:c=x' }
  const { out, code } = await cli(['import', 'contacts', file, '--json', ...at], env)
  assert.deepEqual([code, JSON.parse(out).unused_values], [0, ['Source:c=x']])
})

test('a second run of the same command says that nothing was done', async () => {
  const { at, file } = await place('Name\nAna\n')
  await cliJson('import', 'contacts', file, ...at)
  const { code, out } = await cli(['import', 'contacts', file, ...at])
  assert.equal(code, 0)
  assert.match(
    out,
    /^Nothing was imported, because this file was already imported .*Z\. To import it again, use --again\.\nRows: 1 created/,
  )
  assert.equal((await cliJson('import', 'contacts', file, '--again', ...at)).imported_before, null)
})

test('what is wrong on the command line is usage, and what is wrong with the file is failure', async () => {
  const { at, file } = await place('Fax\n1\n')
  const wrong: [number, RegExp, ...string[]][] = [
    [2, /No column was recognised as first_name, .*The columns are "Fax"/, 'contacts', file],
    [2, /--map: there is no field "fax"/, 'contacts', file, '--map', 'Fax=fax'],
    [2, /--match must be one of email, phone, external_id/, 'contacts', file, '--match', 'domain'],
    [2, /--match must be one of external_id/, 'deals', file, '--match', 'email'],
    [2, /--decimal must be one of point, comma/, 'contacts', file, '--decimal', ','],
    [2, /--dates must be one of dmy, mdy, ymd/, 'contacts', file, '--dates', 'ydm'],
    [1, /cannot be read/, 'contacts', `${file}.not`],
    [1, /There is no import nothing/, '--undo', 'nothing'],
  ]
  for (const [expected, message, ...argv] of wrong) {
    const { code, err } = await cli(['import', ...argv, ...at, ...(expected === 1 ? ['--json'] : [])])
    assert.equal(code, expected, err)
    assert.match(err, message)
  }
})

const KILLS = 4
const ROWS = 4000
const REJECTED = ROWS / 1000

test(`kill -9 in the middle, ${KILLS} times, and the same command again: every row is in once`, async () => {
  const rows = Array.from({ length: ROWS }, (_, n) => `Ana ${n},Firm ${n % 40},${n % 1000 === 3 ? 'nowhere' : 'DE'}`)
  const { at, file, data } = await place(`Name,Company,Country\n${rows.join('\n')}\n`)
  const argv = ['import', 'contacts', file, '--json', ...at]
  const { db, close } = openStore(data)
  const position = db.prepare('SELECT coalesce(max(position), 0) FROM imports').pluck()
  let seen = 0
  for (let kill = 0; kill < KILLS; kill++) {
    const child: ChildProcess = spawn(process.execPath, [MAIN, ...argv], { stdio: 'ignore' })
    const ended = once(child, 'exit')
    while (child.exitCode === null && position.get() === seen) await wait(1)
    child.kill('SIGKILL')
    await ended
    seen = position.get() as number
  }
  assert.ok(seen > 0 && seen < ROWS, `the last kill came after ${seen} rows`)
  const { id, created, rejected, rejected_file } = await cliJson(...argv.filter((arg) => arg !== '--json'))
  assert.deepEqual([created, rejected], [ROWS - REJECTED, REJECTED])
  assert.equal(readFileSync(rejected_file, 'utf8').trim().split('\r\n').length, 1 + REJECTED)
  const names = db.prepare('SELECT count(*) AS all_names, count(DISTINCT name) AS names FROM contacts').get()
  assert.deepEqual(names, { all_names: ROWS - REJECTED, names: ROWS - REJECTED })
  assert.equal(db.prepare('SELECT count(*) FROM companies').pluck().get(), 40)
  assert.equal(db.prepare("SELECT count(*) FROM events WHERE type = 'contact.created'").pluck().get(), ROWS - REJECTED)
  assert.equal(db.prepare('SELECT count(*) FROM imports').pluck().get(), 1)
  assert.deepEqual(db.pragma('integrity_check'), [{ integrity_check: 'ok' }])
  const undo = await cliJson('import', '--undo', id, ...at)
  assert.deepEqual([undo.deleted, undo.kept], [ROWS - REJECTED + 40, []])
  assert.equal(db.prepare('SELECT count(*) FROM contacts').pluck().get(), 0)
  close()
})

test('Ctrl-C stops behind the rows that are being written, and says how to go on', async () => {
  const { at, file } = await place(`Name\n${Array.from({ length: 30_000 }, (_, n) => `Ana ${n}`).join('\n')}\n`)
  const child = spawn(process.execPath, [MAIN, 'import', 'contacts', file, ...at])
  let err = ''
  child.stderr.on('data', (bytes) => {
    err += bytes
    if (String(bytes).includes('COLUMN')) child.kill('SIGINT')
  })
  const [code] = await once(child, 'close')
  assert.equal(code, 1)
  const [, position] = /Stopped after (\d+) of 30000 rows\. To continue, run the same command again/.exec(err) ?? []
  assert.ok(Number(position) >= 1 && Number(position) < 30_000, err)
})

test('the encoding is shown with words of the file, and asked for where two fit', async () => {
  const { at, file, data } = await place('')
  // Ďurica and Žiar in windows-1250.
  writeFileSync(file, Buffer.from('Name;Ort\n\xcfurica;\x8eiar nad Hronom\n', 'latin1'))
  const tried = await cli(['import', 'companies', file, '--dry-run', ...at])
  assert.match(
    tried.out,
    /^Read as windows-1250: "Ďurica", "Žiar"\. If that is wrong, name another: --encoding NAME\.$/m,
  )
  assert.equal((await cliJson('import', 'companies', file, '--dry-run', ...at)).encoding, 'windows-1250')

  writeFileSync(file, Buffer.from('Name;Email\nTrem\xfd;t@x.example\nnix;nix\n', 'latin1'))
  const unclear = await cli(['import', 'contacts', file, ...at])
  assert.equal(unclear.code, 1)
  assert.match(
    unclear.err,
    /can be read as windows-1252 \("Tremý"\) or windows-1254 \("Tremı"\)\. Say which: --encoding windows-1252\./,
  )
  const told = await cli(['import', 'contacts', file, '--encoding', 'cp1252', ...at])
  assert.match(told.out, /^Rows: 1 created, 0 updated, 0 unchanged, 1 rejected\./)
  assert.match(told.err, /dealbox import contacts \S+rejected\.csv --lenient --data/) // which is UTF-8
  const store = openStore(data)
  assert.equal(store.db.prepare('SELECT name FROM contacts').pluck().get(), 'Tremý')
  store.close()
  const wrong = await cli(['import', 'contacts', file, '--encoding', 'klingon', ...at])
  assert.equal(wrong.code, 2)
  assert.match(wrong.err, /^--encoding klingon is not known\. Use a name such as utf-8, windows-1250,/)
  const broken = await cli(['import', 'contacts', file, '--encoding', 'utf-8', ...at])
  assert.match(broken.err, /is not all utf-8: line 2 has the first invalid character/)
})
