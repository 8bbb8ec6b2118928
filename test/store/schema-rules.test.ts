import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { CHANNELS, STATUSES } from '../../src/inbox/conversations/conversation.ts'
import { TYPES } from '../../src/records/custom-fields/types.ts'
import { STOP_REASONS } from '../../src/sequences/enrollments/enrollment.ts'
import { migrate } from '../../src/store/schema/migrations.ts'
import { openSqlite } from '../../src/store/sqlite/driver.ts'

// The rules that SQLite itself enforces on every row, whatever code writes it.

type Row = Record<string, string | number | null>

const db = openSqlite(':memory:')
migrate(db, ':memory:')
db.pragma('foreign_keys = OFF') // each row is inserted alone; references have separate tests
after(() => db.close())

/** The columns of a table for which the simplest value is not valid. */
const ROWS: Record<string, Row> = {
  conversations: { sla: '{"status":"none"}' },
  enrollments: { due_at: 0 },
}

/** Returns a row with the simplest value in every required column. */
function rowOf(table: string): Row {
  const sql = db.prepare('SELECT sql FROM sqlite_schema WHERE name = ?').pluck().get(table) as string
  const columns = db.pragma(`table_info(${table})`) as { name: string; type: string; notnull: number }[]
  const simplest = ({ name, type }: { name: string; type: string }): string | number => {
    const choice = new RegExp(`\\b${name} IN \\(\\s*(?:'(\\w+)'|(\\d))`).exec(sql)
    if (choice) return choice[1] ?? Number(choice[2])
    if (sql.includes(`json_valid(${name})`)) return '{}'
    return type === 'INTEGER' ? 0 : ''
  }
  const required = columns.filter(({ notnull }) => notnull === 1)
  return { ...Object.fromEntries(required.map((column) => [column.name, simplest(column)])), ...ROWS[table] }
}

function insert(table: string, given: Row = {}): void {
  const row = { ...rowOf(table), ...given }
  const names = Object.keys(row)
  db.exec('SAVEPOINT one')
  try {
    db.prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map((name) => `@${name}`).join(', ')})`).run(
      row,
    )
  } finally {
    db.exec('ROLLBACK TO one; RELEASE one')
  }
}

const OVER = '(finished_at IS NULL) = (due_at IS NOT NULL)'
const ENDED = "(status IN ('completed', 'stopped', 'failed')) = (finished_at IS NOT NULL)"
const REASON = "(status IN ('stopped', 'failed')) = (stop_reason IS NOT NULL)"
const ended = { due_at: null, finished_at: 0 }

/** Rows that are rejected, and the rule that SQLite names. */
const REFUSED: [table: string, given: Row, rule: string][] = [
  ['enrollments', { status: 'completed', due_at: null }, ENDED],
  ['enrollments', { status: 'stopped', stop_reason: 'manual', due_at: null }, ENDED],
  ['enrollments', { status: 'active', ...ended }, ENDED],
  ['enrollments', { status: 'paused', ...ended }, ENDED],
  ['enrollments', { status: 'stopped', ...ended }, REASON],
  ['enrollments', { status: 'failed', ...ended }, REASON],
  ['enrollments', { status: 'completed', stop_reason: 'manual', ...ended }, REASON],
  ['enrollments', { status: 'active', stop_reason: 'manual' }, REASON],
  ['enrollments', { status: 'active', due_at: null }, OVER],
  ['enrollments', { status: 'completed', finished_at: 0 }, OVER],
  ['enrollments', { status: 'stopped', stop_reason: 'tired', ...ended }, 'stop_reason IN ('],
  ['enrollments', { current_step: -1 }, 'current_step >= 0'],
  ['conversation_statuses', { status: 'done' }, 'status IN ('],
  ['messages', { channel: 'fax' }, 'channel IN ('],
  ['custom_fields', { type: 'formula' }, 'type IN ('],
  ['events', { data: '{"object":' }, 'json_valid(data)'],
  ['idempotency', { headers: 'ETag: "1"' }, 'json_valid(headers)'],
  ['conversations', { sla: '{"status":"late"}' }, 'sla_status IN ('],
  ['conversations', { unread_count: -1 }, 'unread_count >= 0'],
  ['companies', { employee_count: -1 }, 'employee_count >= 0'],
  ['mailboxes', { daily_limit: 0 }, 'daily_limit >= 1'],
  ['mailboxes', { spacing_s: -1 }, 'spacing_s >= 0'],
  ['transcripts', { duration_ms: -1 }, 'duration_ms >= 0'],
  ['transcripts', { word_count: -1 }, 'word_count >= 0'],
  ['transcript_segments', { start_ms: -1 }, 'start_ms >= 0'],
  ['transcript_segments', { start_ms: 2, end_ms: 1 }, 'end_ms >= start_ms'],
  ...(
    'pipelines stages close_reasons custom_fields hours sla_policies mailboxes sequences enrollment_steps ' +
    'transcript_segments imports'
  )
    .split(' ')
    .map((table): [string, Row, string] => [table, { position: -1 }, 'position >= 0']),
]

/** Valid rows at the edge of a rule. */
const ACCEPTED: [table: string, given: Row][] = [
  ['enrollments', { status: 'completed', ...ended }],
  ['enrollments', { status: 'failed', stop_reason: 'error', ...ended }],
  ['transcript_segments', { start_ms: 2, end_ms: 2 }],
  ['companies', { employee_count: 0 }],
  ['mailboxes', { daily_limit: 1 }],
]

describe('a row that breaks a rule of the schema is refused', () => {
  for (const [table, given, rule] of REFUSED) {
    test(`${table}: ${rule}, by ${JSON.stringify(given)}`, () => {
      insert(table)
      assert.throws(
        () => insert(table, given),
        ({ code, message }) => code === 'SQLITE_CONSTRAINT_CHECK' && message.includes(rule),
      )
    })
  }
})

describe('a row at the edge of a rule is accepted', () => {
  for (const [table, given] of ACCEPTED) test(`${table}: ${JSON.stringify(given)}`, () => insert(table, given))
})

describe('a column with a fixed list of values accepts all that the program knows', () => {
  for (const [table, column, values, given] of [
    ['enrollments', 'stop_reason', STOP_REASONS, { status: 'stopped', ...ended }],
    ['conversation_statuses', 'status', STATUSES, {}],
    ['messages', 'channel', CHANNELS, {}],
    ['custom_fields', 'type', TYPES, {}],
  ] as const) {
    test(`${table}.${column}`, () => {
      for (const value of values) insert(table, { ...given, [column]: value })
    })
  }
})

describe('a column that follows from others', () => {
  for (const [table, column, cases] of [
    ['tasks', 'priority_rank', [0, 1, 2].map((rank) => [{ priority: ['low', 'normal', 'high'][rank] }, rank])],
    [
      'enrollments',
      'next_step_at',
      [
        [{ status: 'active', due_at: 7 }, 7],
        [{ status: 'scheduled', due_at: 7 }, 7],
        [{ status: 'paused', due_at: 7 }, null],
        [{ status: 'completed', ...ended }, null],
      ],
    ],
    [
      'conversations',
      'sla_policy_id',
      [
        [{}, null],
        [{ sla: '{"status":"ok","policy_id":"p"}' }, 'p'],
      ],
    ],
    [
      'stages',
      'is_open',
      [
        [{}, 1],
        [{ outcome: 'lost' }, 0],
      ],
    ],
    ['conversations', 'sla_status', [[{ sla: '{"status":"at_risk"}' }, 'at_risk']]],
  ] as [string, string, [Row, string | number | null][]][]) {
    test(`${table}.${column} agrees with them, and cannot be written`, () => {
      for (const [given, value] of cases) {
        const row = { ...rowOf(table), ...given }
        const names = Object.keys(row)
        const made = db
          .prepare(
            `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map((name) => `@${name}`).join(', ')})
             RETURNING ${column}`,
          )
          .pluck()
        assert.equal(made.get(row), value)
        db.exec(`DELETE FROM ${table}`)
      }
      assert.throws(() => db.prepare(`UPDATE ${table} SET ${column} = ?`).run(null), /cannot UPDATE generated column/)
    })
  }
})
