import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { resourceDeps } from '../../src/app/deps.ts'
import { customFieldStore } from '../../src/records/custom-fields/custom-fields.ts'
import type { Step } from '../../src/sequences/sequences/sequence.ts'
import { sequenceStore } from '../../src/sequences/sequences/sequences.ts'
import { SEQUENCE_LOOK } from '../../src/sequences/sequences/status-changes.ts'
import { problem, settingsFixture, thrownErrors } from '../app/settings/settings-fixture.ts'

const STOPS = ['reply', 'meeting_booked', 'deal_closed', 'unsubscribe', 'bounce']
const DAY_S = 86_400
const hello = { type: 'email', delay_s: 0, subject: 'Hello {{contact.first_name}}', body: 'Dear {{contact.name}}' }
const again = { type: 'email', delay_s: 3 * DAY_S, business_days_only: true, body: 'Did you see it?' }
const call = { type: 'call', delay_s: DAY_S, task_title: 'Call {{contact.name}}', body: 'About {{deal.title}}' }
const task = { type: 'task', delay_s: 60, task_title: 'Write a letter' }
const fair = {
  key: 'fair',
  name: 'After the fair',
  description: 'For those who were there.',
  status: 'active',
  stop_on: ['bounce', 'reply'],
  hours: 'office',
  mailbox: 'sales',
  steps: [hello, again, call],
}
const plain = { key: 'plain', name: 'Plain', status: 'draft', steps: [] }
const mailbox = {
  key: 'sales',
  name: 'Sales',
  address: 'sales@acme.example',
  smtp: { host: 'mail.acme.example', port: 587, tls: 'starttls' },
}
const other = { ...mailbox, key: 'other', address: 'other@acme.example' }
const org = { name: 'Acme', timezone: 'Europe/Berlin', currency: 'EUR' }
const page = { ...org, public_base_url: 'https://crm.acme.example' }

/** The fixture of settings with mailboxes, and what there is to know of sequences and their enrollments. */
function desk(t: TestContext) {
  const shop = settingsFixture(t)
  const { store, a, apply, row } = shop
  const deps = resourceDeps(store)
  const fields = customFieldStore(deps)
  const who = { org: a, member: null }
  apply({ mailboxes: [mailbox, other] })

  const idOf = (key: string) => row('sequences', key).id as string
  return {
    ...shop,
    idOf,
    current: (key: string) => row('sequences', key).current_version as number,
    steps: (key: string): Step[] => JSON.parse(row('sequences', key).steps as string),
    versions: (key: string) =>
      (
        store.db
          .prepare(
            'SELECT number, steps, stop_on FROM sequence_versions WHERE org_id = ? AND sequence_id = ? ORDER BY 1',
          )
          .all(a, idOf(key)) as { number: number; steps: string; stop_on: string }[]
      ).map(({ number, steps, stop_on }) => ({ number, steps: JSON.parse(steps), stop_on: JSON.parse(stop_on) })),
    versionOf: (key: string, number: number) => sequenceStore(deps).versionOf(a, idOf(key), number),
    enroll: (key: string, status = 'active') => {
      const { id, current_version } = row('sequences', key)
      const enrollment = store.clock.id()
      store.db
        .prepare(
          `INSERT INTO enrollments (org_id, id, sequence_id, sequence_version, status, due_at, finished_at, current_step,
             created_at, updated_at, version) VALUES (?, ?, ?, ?, ?, ?, ?, 0, 0, 0, 1)`,
        )
        .run(a, enrollment, id, current_version, status, ...(status === 'completed' ? [null, 0] : [0, null]))
      return enrollment
    },
    /** The sequences whose enrollments are looked at. */
    looked: () =>
      store.db.prepare('SELECT key FROM jobs WHERE org_id = ? AND kind = ? ORDER BY 1').pluck().all(a, SEQUENCE_LOOK),
    field: (object: 'contact' | 'company' | 'deal', key: string) =>
      store.transaction(() => fields.create(who, { object, key, label: key, type: 'text' })),
    archive: (field: ReturnType<typeof fields.create>) =>
      store.transaction(() => fields.patch(who, field, { is_archived: true })),
  }
}

test('sequences stand in the order of the document, with everything that was left out', (t) => {
  const { apply, show } = desk(t)
  const changed = apply({ sequences: [fair, plain] })
  const inFull = { ...hello, business_days_only: false }
  assert.deepEqual(changed[0], {
    section: 'sequences',
    key: 'fair',
    action: 'created',
    fields: {
      name: { from: null, to: 'After the fair' },
      description: { from: null, to: 'For those who were there.' },
      status: { from: null, to: 'active' },
      position: { from: null, to: 0 },
      stop_on: { from: null, to: ['reply', 'bounce'] },
      hours: { from: null, to: 'office' },
      mailbox: { from: null, to: 'sales' },
      steps: { from: null, to: show().sequences[0]?.steps },
    },
  })
  assert.deepEqual(show().sequences, [
    { ...fair, stop_on: ['reply', 'bounce'], steps: [inFull, again, { ...call, business_days_only: false }] },
    { ...plain, description: null, stop_on: STOPS, hours: null, mailbox: null },
  ])
  assert.deepEqual(apply({ sequences: [fair, plain] }), [])
  assert.deepEqual(apply(show()), [])
  assert.deepEqual(
    apply({ sequences: [plain, fair] }).map(({ key, action, fields }) => [key, action, fields]),
    [
      ['plain', 'updated', { position: { from: 1, to: 0 } }],
      ['fair', 'updated', { position: { from: 0, to: 1 } }],
    ],
  )
})

test('a sequence that says the same in another way is no change', (t) => {
  const { apply, rows } = desk(t)
  apply({ sequences: [fair, plain] })
  const before = rows('sequences')
  const same = { ...fair, stop_on: ['reply', 'bounce', 'reply'], steps: [{ ...hello, task_title: null }, again, call] }
  assert.deepEqual(apply({ sequences: [same, { ...plain, hours: null, stop_on: STOPS }] }), [])
  assert.deepEqual(rows('sequences'), before)
})

test('the actions say what became of it', (t) => {
  const { apply } = desk(t)
  apply({ sequences: [{ ...fair, status: 'draft' }] })
  for (const [status, action] of [
    ['active', 'activated'],
    ['paused', 'updated'],
    ['archived', 'deactivated'],
  ])
    assert.deepEqual(
      apply({ sequences: [{ ...fair, status }] }).map(({ action }) => action),
      [action],
    )
})

describe('is refused:', () => {
  const step = (given: object) => ({ ...fair, steps: [hello, { ...again, ...given }] })
  for (const [what, given, errors] of [
    ['no status', { ...fair, status: undefined }, ['/sequences/0/status required']],
    ['a status that there is not', { ...fair, status: 'done' }, ['/sequences/0/status invalid_choice']],
    ['a member that there is not', { ...fair, current: 2 }, ['/sequences/0/current unknown_field']],
    ['an id of a step', step({ id: 'x' }), ['/sequences/0/steps/1/id unknown_field']],
    ['a type that there is not', step({ type: 'fax' }), ['/sequences/0/steps/1/type invalid_choice']],
    ['no delay', step({ delay_s: undefined }), ['/sequences/0/steps/1/delay_s required']],
    ['a delay back in time', step({ delay_s: -1 }), ['/sequences/0/steps/1/delay_s out_of_range']],
    ['a part of a second', step({ delay_s: 0.5 }), ['/sequences/0/steps/1/delay_s invalid_integer']],
    ['more than a year', step({ delay_s: 365 * DAY_S + 1 }), ['/sequences/0/steps/1/delay_s out_of_range']],
    ['51 steps', { ...fair, steps: Array(51).fill(task) }, ['/sequences/0/steps too_many']],
    ['what nothing stops', { ...fair, stop_on: ['rain'] }, ['/sequences/0/stop_on/0 invalid_choice']],
    ['an email without a body', step({ body: null }), ['/sequences/0/steps/1/body required']],
    ['an email with an empty body', step({ body: ' \n' }), ['/sequences/0/steps/1/body empty']],
    ['an email with an empty subject', step({ subject: ' ' }), ['/sequences/0/steps/1/subject empty']],
    ['an email with the title of a task', step({ task_title: 'x' }), ['/sequences/0/steps/1/task_title not_for_type']],
    [
      'a first email without a subject',
      { ...fair, steps: [task, again, again] },
      ['/sequences/0/steps/1/subject required'],
    ],
    [
      'a task without a title',
      { ...fair, steps: [{ ...task, task_title: null }] },
      ['/sequences/0/steps/0/task_title required'],
    ],
    [
      'a call without a title, and with a subject',
      { ...fair, steps: [{ ...call, task_title: undefined, subject: 'x' }] },
      ['/sequences/0/steps/0/task_title required', '/sequences/0/steps/0/subject not_for_type'],
    ],
    ['an active one without steps', { ...fair, steps: [] }, ['/sequences/0/steps no_steps']],
    ['a paused one without steps', { ...fair, status: 'paused', steps: [] }, ['/sequences/0/steps no_steps']],
    ['hours that there are not', { ...fair, hours: 'night' }, ['/sequences/0/hours unknown_hours']],
    ['a mailbox that there is not', { ...fair, mailbox: 'support' }, ['/sequences/0/mailbox unknown_mailbox']],
    [
      'variables that there are not',
      { ...fair, steps: [{ ...hello, subject: '{{contact.firstname}}' }, step({ body: 'x\n{{x}}' }).steps[1], call] },
      ['/sequences/0/steps/0/subject unknown_variable', '/sequences/0/steps/1/body unknown_variable'],
    ],
    [
      'the title of a task with a section that stays open',
      { ...fair, steps: [{ ...task, task_title: '{{#deal.title}}' }] },
      ['/sequences/0/steps/0/task_title invalid_template'],
    ],
    [
      'a custom field that there is not',
      step({ body: '{{contact.custom_fields.size}}' }),
      ['/sequences/0/steps/1/body unknown_variable'],
    ],
    [
      'a page to unsubscribe where there is none',
      step({ body: '{{unsubscribe_url}}' }),
      ['/sequences/0/steps/1/body no_public_base_url'],
    ],
  ] as const)
    test(what, (t) => {
      const { apply, rows } = desk(t)
      assert.deepEqual(
        thrownErrors(() => apply({ sequences: [JSON.parse(JSON.stringify(given))] })),
        errors,
      )
      assert.deepEqual(rows('sequences'), [])
    })

  test('a key that stood before', (t) => {
    const { apply } = desk(t)
    assert.deepEqual(
      thrownErrors(() => apply({ sequences: [fair, plain, { ...plain, name: 'Other' }] })),
      ['/sequences/2/key duplicate'],
    )
  })

  test('hours and mailboxes of another organisation', (t) => {
    const { apply, store, a } = desk(t)
    store.db.prepare(`UPDATE hours SET key = 'theirs' WHERE org_id <> ?`).run(a)
    assert.deepEqual(
      thrownErrors(() => apply({ sequences: [{ ...fair, hours: 'theirs' }] })),
      ['/sequences/0/hours unknown_hours'],
    )
  })
})

test('a year, fifty steps, and no step as long as it is a draft are taken', (t) => {
  const { apply } = desk(t)
  apply({ sequences: [{ ...fair, steps: Array(50).fill({ ...task, delay_s: 365 * DAY_S }) }, plain] })
  apply({ sequences: [{ ...plain, status: 'archived' }] })
})

test('an unknown variable is named, with those that there are', (t) => {
  const { apply, field } = desk(t)
  field('deal', 'seats')
  const wrong = { ...fair, steps: [{ ...hello, body: 'Dear\n{{contact.firstname}}' }] }
  assert.throws(
    () => apply({ sequences: [wrong] }),
    /must not have \{\{contact\.firstname\}\} in line 2: there is no such variable; variables are contact\.first_name, .*unsubscribe_url, deal\.custom_fields\.seats\./,
  )
})

describe('custom fields', () => {
  const uses = (key: string) => ({ ...fair, steps: [hello, { ...again, body: `{{${key}}}` }] })

  test('are known by their record and key', (t) => {
    const { apply, field } = desk(t)
    field('contact', 'size')
    apply({ sequences: [uses('contact.custom_fields.size')] })
    for (const key of ['deal.custom_fields.size', 'custom_fields.size', 'contact.size', 'contact.custom_fields.Size'])
      assert.deepEqual(
        thrownErrors(() => apply({ sequences: [uses(key)] })),
        ['/sequences/0/steps/1/body unknown_variable'],
      )
  })

  test('that are archived are not, but in a text that stays as it is', (t) => {
    const { apply, field, archive, show } = desk(t)
    const size = field('company', 'size')
    apply({ sequences: [uses('company.custom_fields.size')] })
    archive(size)
    assert.deepEqual(apply(show()), [])
    apply({ sequences: [{ ...uses('company.custom_fields.size'), name: 'Other' }] })
    assert.deepEqual(
      thrownErrors(() => apply({ sequences: [{ ...uses('company.custom_fields.size'), key: 'new' }] })),
      ['/sequences/0/steps/1/body unknown_variable'],
    )
  })

  test('of another organisation are not', (t) => {
    const { apply, field, store, b } = desk(t)
    field('contact', 'size')
    store.db.prepare('UPDATE custom_fields SET org_id = ?').run(b)
    assert.throws(() => apply({ sequences: [uses('contact.custom_fields.size')] }), problem(422, 'invalid_fields'))
  })
})

describe('the page for those who want no more mailings', () => {
  const leads = { ...fair, steps: [{ ...hello, body: 'Not again: {{ unsubscribe_url }}' }] }

  test('is there as the same document says', (t) => {
    const { apply, show } = desk(t)
    apply({ org: page, sequences: [leads] })
    assert.deepEqual(
      thrownErrors(() => apply({ org, sequences: [leads] })),
      ['/sequences/0/steps/0/body no_public_base_url'],
    )
    assert.equal(show().org.public_base_url, page.public_base_url)
  })

  test('does not go while a text leads to it', (t) => {
    const { apply, enroll, show } = desk(t)
    apply({ org: page, sequences: [leads, plain] })
    assert.throws(() => apply({ org }), problem(409, 'public_base_url_in_use'))
    assert.throws(() => apply({ org }), /needs a public_base_url because texts of sequences use .+ \(fair\)\./)
    assert.equal(show().org.public_base_url, page.public_base_url)
    enroll('fair')
    assert.throws(() => apply({ org, sequences: [fair] }), problem(409, 'public_base_url_in_use'))
  })

  test('goes with the last text, and with the last enrollment that has it before it', (t) => {
    const { apply, enroll, store } = desk(t)
    apply({ org: page, sequences: [leads] })
    enroll('fair')
    apply({ sequences: [fair] })
    assert.throws(() => apply({ org }), problem(409, 'public_base_url_in_use'))
    store.db
      .prepare("UPDATE enrollments SET status = 'stopped', stop_reason = 'manual', due_at = NULL, finished_at = 0")
      .run()
    apply({ org })
  })

  test('goes where the sequence is given up, and where a text has its name alone', (t) => {
    const { apply } = desk(t)
    apply({ org: page, sequences: [leads] })
    apply({
      sequences: [
        { ...leads, status: 'archived' },
        { ...fair, key: 'b', steps: [{ ...hello, body: 'unsubscribe_url' }] },
      ],
    })
    apply({ org })
  })
})

describe('versions', () => {
  test('a change of the steps replaces the current one as long as nobody began with it', (t) => {
    const { apply, current, versions, steps } = desk(t)
    apply({ sequences: [fair] })
    apply({ sequences: [{ ...fair, steps: [hello] }] })
    assert.equal(current('fair'), 1)
    assert.deepEqual(versions('fair'), [{ number: 1, steps: steps('fair'), stop_on: ['reply', 'bounce'] }])
    assert.equal(steps('fair').length, 1)
  })

  test('it makes a new one where somebody did, and what enrollments follow stays as it was', (t) => {
    const { apply, current, versions, enroll, versionOf } = desk(t)
    apply({ sequences: [fair] })
    enroll('fair', 'completed')
    const [first] = versions('fair')
    apply({ sequences: [{ ...fair, steps: [hello] }] })
    assert.equal(current('fair'), 2)
    assert.deepEqual(versions('fair')[0], first)
    assert.deepEqual(versionOf('fair', 1), { steps: first?.steps, stop_on: first?.stop_on })
    assert.equal(versionOf('fair', 2).steps.length, 1)
    apply({ sequences: [{ ...fair, steps: [call, { ...hello, subject: 'x' }] }] })
    assert.deepEqual([current('fair'), versions('fair').length], [2, 2])
  })

  test('it is the same with what stops it', (t) => {
    const { apply, current, versions, enroll } = desk(t)
    apply({ sequences: [fair] })
    enroll('fair')
    apply({ sequences: [{ ...fair, stop_on: [] }] })
    assert.equal(current('fair'), 2)
    assert.deepEqual(
      versions('fair').map(({ stop_on }) => stop_on),
      [['reply', 'bounce'], []],
    )
  })

  test('name, description, hours, mailbox, status and position have none', (t) => {
    const { apply, current, enroll, row } = desk(t)
    apply({ sequences: [fair] })
    enroll('fair')
    const rest = { name: 'Other', description: null, hours: null, mailbox: 'other', status: 'paused' }
    apply({ sequences: [plain, { ...fair, ...rest }] })
    assert.equal(current('fair'), 1)
    assert.equal(row('sequences', 'fair').version, 2)
  })

  test('each is there as the row of the sequence says', (t) => {
    const { apply, row, versions, enroll } = desk(t)
    apply({ sequences: [fair] })
    for (const steps of [[hello], [hello, call], [call]]) {
      enroll('fair')
      apply({ sequences: [{ ...fair, steps }] })
      const { current_version, ...stored } = row('sequences', 'fair')
      const last = versions('fair').at(-1)
      assert.deepEqual(last, {
        number: current_version,
        steps: JSON.parse(stored.steps as string),
        stop_on: JSON.parse(stored.stop_on as string),
      })
    }
    assert.equal(versions('fair').length, 4)
  })
})

describe('the ids of steps', () => {
  const ids = (steps: Step[]) => steps.map(({ id }) => id)

  test('stay with what they say, wherever it stands', (t) => {
    const { apply, steps } = desk(t)
    apply({ sequences: [fair] })
    const [a, b, c] = ids(steps('fair'))
    assert.equal(new Set([a, b, c]).size, 3)
    apply({ sequences: [{ ...fair, steps: [hello, task, call, again] }] })
    const [first, second, third, fourth] = steps('fair')
    assert.deepEqual([first?.id, third?.id, fourth?.id], [a, c, b])
    assert.ok(![a, b, c].includes(second?.id))
    assert.deepEqual(
      steps('fair').map(({ position }) => position),
      [0, 1, 2, 3],
    )
  })

  test('change with anything that a step says', (t) => {
    const { apply, steps } = desk(t)
    apply({ sequences: [{ ...fair, steps: [hello, call] }] })
    const [first] = ids(steps('fair'))
    for (const step of [
      { ...call, delay_s: 1 },
      { ...call, business_days_only: true },
      { ...call, body: 'x' },
      { ...call, task_title: 'x' },
      { ...call, type: 'task' },
    ]) {
      apply({ sequences: [{ ...fair, steps: [hello, call] }] })
      const before = ids(steps('fair'))
      apply({ sequences: [{ ...fair, steps: [hello, step] }] })
      assert.equal(steps('fair')[0]?.id, first)
      assert.ok(!before.includes(steps('fair')[1]?.id as string))
    }
  })

  test('of several that say the same are those of the first ones', (t) => {
    const { apply, steps } = desk(t)
    apply({ sequences: [{ ...fair, steps: [task, task, task] }] })
    const [a, b, c] = ids(steps('fair'))
    apply({ sequences: [{ ...fair, steps: [task, task] }] })
    assert.deepEqual(ids(steps('fair')), [a, b])
    apply({ sequences: [{ ...fair, steps: [task, task, task] }] })
    const [, , last] = ids(steps('fair'))
    assert.notEqual(last, c)
  })
})

describe('a sequence that the document leaves out', () => {
  test('is removed where there is no enrollment', (t) => {
    const { apply, rows, store } = desk(t)
    apply({ sequences: [fair, plain] })
    assert.deepEqual(
      apply({ sequences: [plain] }).map(({ key, action }) => [key, action]),
      [
        ['plain', 'updated'],
        ['fair', 'removed'],
      ],
    )
    assert.deepEqual(
      rows('sequences').map(({ key }) => key),
      ['plain'],
    )
    assert.equal(store.db.prepare('SELECT count(*) FROM sequence_versions').pluck().get(), 1)
  })

  test('is archived where there is one, behind the others, and lets go of hours and mailbox', (t) => {
    const { apply, rows, row, enroll, show } = desk(t)
    apply({ sequences: [fair, plain] })
    enroll('fair', 'completed')
    const changes = apply({ sequences: [plain] })
    assert.deepEqual(changes.at(-1), {
      section: 'sequences',
      key: 'fair',
      action: 'deactivated',
      fields: {
        status: { from: 'active', to: 'archived' },
        position: { from: 0, to: 1 },
        hours: { from: 'office', to: null },
        mailbox: { from: 'sales', to: null },
      },
    })
    assert.deepEqual(
      rows('sequences').map(({ key }) => key),
      ['plain', 'fair'],
    )
    assert.equal(row('sequences', 'fair').current_version, 1)
    assert.deepEqual(apply({ sequences: [plain] }), [])
    assert.deepEqual(apply(show()), [])
    apply({ hours: [], sequences: [plain] })
    apply({ sequences: [] })
    assert.deepEqual(
      rows('sequences').map(({ key }) => key),
      ['fair'],
    )
  })

  test('comes back under its key, with its enrollments', (t) => {
    const { apply, idOf, enroll, current } = desk(t)
    apply({ sequences: [fair] })
    const id = idOf('fair')
    enroll('fair')
    apply({ sequences: [] })
    assert.deepEqual(
      apply({ sequences: [fair] }).map(({ action }) => action),
      ['activated'],
    )
    assert.deepEqual([idOf('fair'), current('fair')], [id, 1])
  })
})

test('enrollments are looked at where a sequence is activated or given up, and not where its status stays', (t) => {
  const { apply, idOf, enroll, looked, store } = desk(t)
  apply({ sequences: [fair, { ...fair, key: 'b', status: 'paused' }] })
  assert.deepEqual(looked(), [])
  enroll('fair')
  const [a, b] = [idOf('fair'), idOf('b')]
  apply({
    sequences: [
      { ...fair, name: 'Other', steps: [hello] },
      { ...fair, key: 'b' },
    ],
  })
  assert.deepEqual(looked(), [b])
  store.db.prepare('DELETE FROM jobs').run()
  apply({ sequences: [{ ...fair, status: 'archived' }] })
  assert.deepEqual(looked(), [a])
  store.db.prepare('DELETE FROM jobs').run()
  apply({ sequences: [fair] })
  store.db.prepare('DELETE FROM jobs').run()
  apply({ sequences: [] })
  assert.deepEqual(looked(), [a])
})

test('hours in which a sequence sends are not removed, but together with it', (t) => {
  const { apply, show } = desk(t)
  apply({ sequences: [fair] })
  assert.throws(() => apply({ hours: [] }), problem(409, 'hours_in_use'))
  assert.throws(() => apply({ hours: [] }), /The hours "office" cannot be removed: sequences use them \(fair\)\.$/)
  apply({ sla: [{ key: 'all', name: 'All', hours: 'office', targets: {} }] })
  assert.throws(
    () => apply({ hours: [] }),
    /SLA policies use them \(all\), and sequences use them \(fair\)\. An SLA policy/,
  )
  assert.deepEqual(
    thrownErrors(() => apply({ hours: [], sla: [], sequences: [fair] })),
    ['/sequences/0/hours unknown_hours'],
  )
  apply({ hours: [], sla: [], sequences: [{ ...fair, hours: null }] })
  assert.deepEqual(show().hours, [])
})

test('one document makes hours and a mailbox with the sequence that goes by them', (t) => {
  const { apply, show } = desk(t)
  const hours = [{ key: 'late', name: 'Late', timezone: 'UTC', weekly: {} }]
  const support = { ...mailbox, key: 'support', address: 'support@acme.example' }
  apply({ hours, mailboxes: [support], sequences: [{ ...fair, hours: 'late', mailbox: 'support' }] })
  const [shown] = show().sequences
  assert.deepEqual([shown?.hours, shown?.mailbox], ['late', 'support'])
})

test('a mailbox that goes is not for a sequence any more, but may stand where it stood', (t) => {
  const { apply, show, row } = desk(t)
  assert.deepEqual(
    thrownErrors(() => apply({ mailboxes: [other], sequences: [fair] })),
    ['/sequences/0/mailbox unknown_mailbox'],
  )
  apply({ sequences: [fair] })
  assert.deepEqual(
    thrownErrors(() => apply({ mailboxes: [other], sequences: [fair] })),
    ['/sequences/0/mailbox unknown_mailbox'],
  )
  apply({ mailboxes: [other] })
  assert.equal(row('mailboxes', 'sales').is_active, 0)
  assert.deepEqual(apply(show()), [])
  assert.deepEqual(apply({ mailboxes: [other], sequences: [fair] }), [])
  assert.deepEqual(
    thrownErrors(() => apply({ sequences: [fair, { ...fair, key: 'b' }] })),
    ['/sequences/1/mailbox unknown_mailbox'],
  )
})

test('nothing of it is seen in another organisation', (t) => {
  const { apply, rows, b } = desk(t)
  apply({ sequences: [fair, plain] })
  assert.deepEqual(rows('sequences', b), [])
})
