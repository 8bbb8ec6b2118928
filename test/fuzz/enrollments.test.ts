import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startOutreach } from '../support/outreach.ts'
import type { TestServer } from '../support/server.ts'
import { stateFaults } from './state.ts'

// That the fuzzer finds what is wrong with enrollments, and with mails on their way out, in the database.

let outreach: Awaited<ReturnType<typeof startOutreach>>
let server: TestServer
before(async () => {
  outreach = await startOutreach()
  server = outreach.server
})
after(() => outreach.stop())

function stateOf(): string {
  const timesTaken = (id: string): number => outreach.taken.get(id) ?? 0
  return stateFaults(server.store.db, server.now(), { timesTaken, since: 0 }).join('\n')
}

describe('the state after a run', () => {
  test('has nothing that is wrong with it where all went right', () => {
    const statuses = server.store.db.prepare('SELECT DISTINCT status FROM enrollments ORDER BY 1').pluck().all()
    assert.deepEqual(statuses, ['active', 'completed', 'failed', 'paused', 'stopped'])
    assert.equal(stateOf(), '')
  })

  const live = "(SELECT id FROM enrollments WHERE status = 'active' LIMIT 1)"
  const over = "(SELECT id FROM enrollments WHERE status = 'completed')"
  const queued = "(SELECT id FROM messages WHERE status = 'queued')"
  const changes: [what: string, sql: string, found: RegExp][] = [
    ['a step more than was done', `UPDATE enrollments SET current_step = current_step + 1 WHERE id = ${live}`, /says/],
    ['a step that is lost', `DELETE FROM enrollment_steps WHERE position = 0`, /its step 0 is another one/],
    ['a step of another sequence', `UPDATE enrollment_steps SET step_id = 'x' WHERE position = 1`, /step 1 is another/],
    ['a task that was not made', `UPDATE enrollment_steps SET task_id = NULL WHERE type = 'task'`, /has not made what/],
    [
      'a mail of another one',
      `UPDATE messages SET enrollment_id = NULL WHERE enrollment_id = ${live}`,
      /is not its own/,
    ],
    [
      'a conversation of another one',
      `UPDATE enrollments SET conversation_id = (SELECT min(id) FROM conversations) WHERE status = 'paused'`,
      /is in another conversation/,
    ],
    ['a mail that was sent at no time', 'UPDATE enrollment_steps SET sent_at = NULL', /was sent, and has no sent_at/],
    ['a mail that was sent while it waits', "UPDATE messages SET status = 'queued'", /has sent_at before it was sent/],
    ['one that is over and has no end', 'UPDATE enrollments SET finished_at = NULL', /over without finished_at/],
    ['one that is over and due', 'UPDATE enrollments SET due_at = 1', /it is over, and something is due/],
    ['one that ended for no reason', 'UPDATE enrollments SET stop_reason = NULL', /it ended for no reason/],
    [
      'one that failed for what stops',
      "UPDATE enrollments SET stop_reason = 'reply' WHERE status = 'failed'",
      /it failed for what stops one/,
    ],
    [
      'one that is completed too early',
      `UPDATE enrollments SET status = 'completed' WHERE id = ${live}`,
      /it is completed before its last step/,
    ],
    ['one that nothing has go on', "DELETE FROM jobs WHERE kind = 'enrollment.step'", /nothing has it go on/],
    [
      'one that is woken at another time',
      "UPDATE jobs SET due_at = due_at + 1 WHERE kind = 'enrollment.step'",
      /its job is due at/,
    ],
    [
      'one that is over and has a job',
      `UPDATE jobs SET key = (SELECT id FROM enrollments WHERE status = 'completed')
       WHERE kind = 'enrollment.step' AND key = ${live}`,
      /it has a job, and nothing to do/,
    ],
    [
      'one that stands still and has a job',
      `UPDATE jobs SET key = (SELECT id FROM enrollments WHERE status = 'paused')
       WHERE kind = 'enrollment.step' AND key = ${live}`,
      /it has a job, and nothing to do/,
    ],
    ['one without a contact', 'UPDATE enrollments SET contact_id = NULL', /it goes on without a contact/],
    ['somebody who wants to be left alone', 'UPDATE contacts SET do_not_contact = 1', /who wants to be left alone/],
    [
      'somebody who unsubscribed',
      `UPDATE sequence_versions SET stop_on = '["unsubscribe"]'`,
      /it goes on with somebody who unsubscribed/,
    ],
    ['an answer that is not noted', 'UPDATE enrollments SET replied_at = NULL', /it was answered, and does not say so/],
    ['an answer that nobody gave', 'UPDATE enrollments SET replied_at = NULL', /by an answer that nobody gave/],
    [
      'one that goes on behind its end',
      "UPDATE sequence_versions SET steps = json_remove(steps, '$[3]')",
      /it goes on behind its last step/,
    ],
    [
      'one that is to start and has begun',
      `UPDATE enrollments SET status = 'scheduled' WHERE id = ${live}`,
      /it is to start, and has done something/,
    ],
    [
      'one that is completed by what was refused',
      `UPDATE messages SET status = 'failed' WHERE enrollment_id = ${over};
       UPDATE enrollment_steps SET sent_at = NULL WHERE enrollment_id = ${over}`,
      /it is completed by a mail that was refused/,
    ],
    ['one that goes on after an answer', 'UPDATE enrollments SET replied_at = 1', /it goes on after an answer/],
    ['a sequence that was given up', "UPDATE sequences SET status = 'archived'", /in a sequence that was given up/],
    ['a refused mail of nobody', "UPDATE messages SET status = 'sent'", /it failed by a mail, and none was refused/],
    [
      'one that goes on after its mail was refused',
      "UPDATE messages SET status = 'failed'; UPDATE enrollment_steps SET sent_at = NULL",
      /it goes on after a mail that was refused/,
    ],
    [
      'one that nobody was told of',
      `UPDATE enrollments SET version = 1, current_step = 0 WHERE id = ${live};
       UPDATE events SET type = 'x' WHERE object_id = ${live}`,
      /nobody was told of it/,
    ],
    [
      'one that was told of otherwise',
      `UPDATE events SET data = json_set(data, '$.object.status', 'stopped') WHERE type LIKE 'enrollment.%'`,
      /it was last told of as stopped/,
    ],
    [
      'a beginning that was told of twice',
      `UPDATE events SET type = 'enrollment.created' WHERE type = 'enrollment.updated'`,
      /it was told \d times that it began/,
    ],
    [
      'an end that was told of twice',
      `UPDATE events SET type = 'enrollment.completed' WHERE type = 'enrollment.updated'`,
      /it was told \d times that it is completed/,
    ],
    [
      'an end that nobody was told of',
      `UPDATE events SET type = 'enrollment.updated' WHERE type = 'enrollment.stopped'`,
      /it was told 0 times that it ended early/,
    ],
    ['a mail that nothing sends', "DELETE FROM jobs WHERE kind = 'message.send'", /it waits, and nothing sends it/],
    ['a mail of no mailbox', `DELETE FROM message_headers WHERE message_id = ${queued}`, /no mailbox is to send it/],
    [
      'a mail that is sent again',
      `UPDATE jobs SET key = (SELECT id FROM messages WHERE status = 'sent') WHERE kind = 'message.send'`,
      /it does not wait, and something sends it/,
    ],
    ['a mail of which nobody was told', "UPDATE events SET type = 'x' WHERE type = 'message.sent'", /told of by null/],
    ['a mail that nobody has', `UPDATE messages SET external_id = '<x' || id || '@x>'`, /and nobody has it/],
    [
      'a conversation that a sequence opened',
      "UPDATE conversation_statuses SET status = 'open' WHERE conversation_version = 1",
      /began open, and should not/,
    ],
    ['an answer that a sequence gave', 'UPDATE messages SET enrollment_id = NULL', /first_response_at is null/],
  ]
  for (const [what, sql, found] of changes) {
    test(`shows ${what}`, () => {
      const { db } = server.store
      db.pragma('foreign_keys = OFF')
      db.pragma('ignore_check_constraints = ON') // what SQLite refuses is to be found all the same
      db.exec('BEGIN')
      try {
        if (what === 'somebody who unsubscribed') db.exec('UPDATE contacts SET unsubscribed_at = 1')
        const before = db.prepare('SELECT total_changes()').pluck().get() as number
        db.exec(sql)
        assert.ok((db.prepare('SELECT total_changes()').pluck().get() as number) > before, 'something was changed')
        assert.match(stateOf(), found)
      } finally {
        db.exec('ROLLBACK')
        db.pragma('ignore_check_constraints = OFF')
        db.pragma('foreign_keys = ON')
      }
    })
  }

  for (const again of ['', ' again'])
    test(`takes a last mail that was not wanted any more, and so was not sent${again}, for none that was refused`, () => {
      const { db } = server.store
      const error = `It was not sent${again}. The contact has unsubscribed.`
      db.exec('BEGIN')
      try {
        db.prepare(`UPDATE messages SET status = 'failed', error = ? WHERE enrollment_id = ${over}`).run(error)
        db.exec(`UPDATE enrollment_steps SET sent_at = NULL WHERE enrollment_id = ${over}`)
        assert.doesNotMatch(stateOf(), /was refused/)
      } finally {
        db.exec('ROLLBACK')
      }
    })

  test('shows a mail that was sent twice, or came although it is said to have failed', () => {
    const { taken } = outreach
    const before = new Map(taken)
    const { db } = server.store
    const ids = db.prepare("SELECT external_id FROM messages WHERE direction = 'outbound'").pluck().all() as string[]
    for (const id of ids) taken.set(id, 2)
    assert.match(stateOf(), /it was sent 2 times/)
    for (const id of ids) taken.set(id, 1)
    assert.match(stateOf(), /\(failed, No\): somebody has it/)
    taken.clear()
    for (const [id, times] of before) taken.set(id, times)
    assert.equal(stateOf(), '')
  })
})
