import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { errorsOf, type Given, idOf, recordsOf, UNKNOWN } from '../support/records.ts'
import { startServer, type TestServer } from '../support/server.ts'

let server: TestServer
const { newRecord, newId, patchRecord, newContact, newCompany, newDeal, listIds } = recordsOf(() => server)
before(async () => {
  server = await startServer()
})
after(() => server.stop())

const HOUR_MS = 3_600_000

const newTask = (given: Given = {}) => newRecord('/tasks', { title: 'Send the offer', ...given })
const getTask = async (id: string) => (await server.call('GET', `/tasks/${id}`)).body
const patchTask = (id: string, given: Given) => patchRecord(`/tasks/${id}`, given)

/** Returns the time that many milliseconds from now, as in JSON. */
const inMs = (ms: number) => new Date(server.now() + ms).toISOString()

const taskIds = (query: string) => listIds(`/tasks?${query}`)

describe('create', () => {
  test('answers an open todo of normal priority, with its event', async () => {
    const { a, call, events, lastSeq } = server
    const seq = lastSeq()
    const { status, body, headers } = await call('POST', '/tasks', { title: 'Send the offer' })
    assert.equal(status, 201)
    assert.deepEqual(body, {
      id: body.id,
      title: 'Send the offer',
      body: null,
      type: 'todo',
      status: 'open',
      priority: 'normal',
      due_at: null,
      owner_id: null,
      contact_ids: [],
      company_ids: [],
      deal_ids: [],
      conversation_id: null,
      enrollment_id: null,
      completed_at: null,
      is_overdue: false,
      created_at: body.created_at,
      updated_at: body.created_at,
      version: 1,
    })
    assert.equal(headers.get('location'), `/api/v1/tasks/${body.id}`)
    assert.equal(headers.get('etag'), '"1"')
    const [event, ...more] = events(seq)
    assert.deepEqual(more, [])
    assert.deepEqual([event?.type, event?.object, event?.actor, event?.previous], ['task.created', body, a.owner, {}])
  })

  test('keeps every field that it takes', async () => {
    const { a } = server
    const given = {
      title: 'Call Ana',
      body: 'About the *renewal*',
      type: 'call',
      status: 'canceled',
      priority: 'high',
      due_at: inMs(HOUR_MS),
      owner_id: a.owner,
      contact_ids: [await idOf(newContact()), await idOf(newContact())],
      company_ids: [await idOf(newCompany())],
      deal_ids: [await idOf(newDeal())],
    }
    const task = await newTask(given)
    assert.deepEqual({ ...task, ...given }, task)
    assert.equal(task.completed_at, null)
    assert.deepEqual(await getTask(task.id), task)
  })

  test('of a task that is done already says since when, with one event', async () => {
    const { events, lastSeq } = server
    const seq = lastSeq()
    const task = await newTask({ status: 'done' })
    assert.deepEqual([task.status, task.completed_at], ['done', task.created_at])
    assert.deepEqual(
      events(seq).map(({ type, object }) => [type, object]),
      [['task.created', task]],
    )
  })

  test('answers links without duplicates, and times in UTC', async () => {
    const [one, other] = [await idOf(newContact()), await idOf(newContact())]
    const task = await newTask({ contact_ids: [other, one, other], due_at: '2027-01-31T10:00:00+01:00' })
    assert.deepEqual([task.contact_ids, task.due_at], [[other, one], '2027-01-31T09:00:00.000Z'])
  })

  const refused: [string, Given | (() => Given), string[]][] = [
    ['no title', { title: undefined }, ['/title required']],
    ['an empty title', { title: ' ' }, ['/title empty']],
    ['another type', { type: 'fax' }, ['/type invalid_choice']],
    ['another status', { status: 'closed' }, ['/status invalid_choice']],
    ['a null status', { status: null }, ['/status invalid_choice']],
    ['another priority', { priority: 'urgent' }, ['/priority invalid_choice']],
    ['a day as due_at', { due_at: '2027-01-31' }, ['/due_at invalid_time']],
    ['a body over 64 KiB', { body: 'x'.repeat(65_537) }, ['/body too_long']],
    ['completed_at', { completed_at: '2026-11-20T08:36:00.000Z' }, ['/completed_at unknown_field']],
    ['is_overdue', { is_overdue: true }, ['/is_overdue unknown_field']],
    ['an enrollment', { enrollment_id: UNKNOWN }, ['/enrollment_id unknown_field']],
    ['a conversation', { conversation_id: UNKNOWN }, ['/conversation_id reference_not_found']],
    ['an unknown owner', { owner_id: UNKNOWN }, ['/owner_id reference_not_found']],
    ['a deactivated owner', () => ({ owner_id: server.a.deactivated }), ['/owner_id member_deactivated']],
    ['unknown contacts', { contact_ids: [UNKNOWN] }, ['/contact_ids/0 reference_not_found']],
    ['an unknown company', { company_ids: [UNKNOWN] }, ['/company_ids/0 reference_not_found']],
    ['an unknown deal', { deal_ids: [UNKNOWN] }, ['/deal_ids/0 reference_not_found']],
    ['links that are null', { deal_ids: null }, ['/deal_ids not_null']],
  ]
  for (const [what, given, errors] of refused) {
    test(`refuses ${what} and writes nothing`, async () => {
      const { call, lastSeq } = server
      const seq = lastSeq()
      const more = typeof given === 'function' ? given() : given
      const { status, body } = await call('POST', '/tasks', { title: 'Fine', ...more })
      assert.deepEqual([status, errorsOf(body)], [422, errors])
      assert.equal(lastSeq(), seq)
    })
  }
})

describe('change', () => {
  test('to done says since when, with one event of the most specific name', async () => {
    const { advance, call, events, lastSeq } = server
    const task = await newTask()
    const seq = lastSeq()
    advance(60_000)
    const { status, body, headers } = await call('PATCH', `/tasks/${task.id}`, { status: 'done', title: 'Sent' })
    const now = inMs(0)
    assert.equal(status, 200)
    const done = { ...task, title: 'Sent', status: 'done', completed_at: now, updated_at: now, version: 2 }
    assert.deepEqual(body, done)
    assert.equal(headers.get('etag'), '"2"')
    assert.deepEqual(await getTask(task.id), done)
    const [event, ...more] = events(seq)
    assert.deepEqual(more, [])
    assert.deepEqual([event?.type, event?.object], ['task.completed', done])
    assert.deepEqual(event?.changed_fields, ['title', 'status', 'completed_at'])
    assert.deepEqual(event?.previous, { title: 'Send the offer', status: 'open', completed_at: null })
  })

  test('of a done task keeps since when it is done, until it is opened again', async () => {
    const { advance, events, lastSeq } = server
    const task = await newTask({ status: 'done' })
    const seq = lastSeq()
    advance(60_000)
    const renamed = await patchTask(task.id, { title: 'Renamed', status: 'done' })
    assert.equal(renamed.completed_at, task.completed_at)
    const opened = await patchTask(task.id, { status: 'open' })
    assert.deepEqual([opened.status, opened.completed_at], ['open', null])
    advance(60_000)
    const again = await patchTask(task.id, { status: 'done' })
    assert.deepEqual([again.status, again.completed_at], ['done', inMs(0)])
    const canceled = await patchTask(task.id, { status: 'canceled' })
    assert.deepEqual([canceled.status, canceled.completed_at], ['canceled', null])
    assert.deepEqual(
      events(seq).map(({ type }) => type),
      ['task.updated', 'task.updated', 'task.completed', 'task.updated'],
    )
  })

  test('completes a canceled task too', async () => {
    const { events, lastSeq } = server
    const { id } = await newTask({ status: 'canceled' })
    const seq = lastSeq()
    assert.equal((await patchTask(id, { status: 'done' })).completed_at, inMs(0))
    assert.equal(events(seq)[0]?.type, 'task.completed')
  })

  test('replaces links whole, down to none, and the filters follow', async () => {
    const { events, lastSeq } = server
    const [gone, comes, company, deal] = [
      await idOf(newContact()),
      await idOf(newContact()),
      await idOf(newCompany()),
      await idOf(newDeal()),
    ]
    const { id } = await newTask({ contact_ids: [gone], company_ids: [company], deal_ids: [deal] })
    const seq = lastSeq()
    assert.deepEqual((await patchTask(id, { contact_ids: [comes, comes] })).contact_ids, [comes])
    assert.deepEqual([await taskIds(`contact_id=${gone}`), await taskIds(`contact_id=${comes}`)], [[], [id]])
    const alone = await patchTask(id, { contact_ids: [], company_ids: [], deal_ids: [] })
    assert.deepEqual([alone.contact_ids, alone.company_ids, alone.deal_ids], [[], [], []])
    for (const query of [`contact_id=${comes}`, `company_id=${company}`, `deal_id=${deal}`])
      assert.deepEqual(await taskIds(query), [])
    const [first, second, ...more] = events(seq)
    assert.deepEqual(more, [])
    assert.deepEqual([first?.type, first?.changed_fields], ['task.updated', ['contact_ids']])
    assert.deepEqual(second?.previous, { contact_ids: [comes], company_ids: [company], deal_ids: [deal] })
  })

  test('clears what is null', async () => {
    const { id } = await newTask({ body: 'x', due_at: inMs(HOUR_MS), owner_id: server.a.owner })
    const { body, due_at, owner_id } = await patchTask(id, { body: null, due_at: null, owner_id: null })
    assert.deepEqual([body, due_at, owner_id], [null, null, null])
  })

  test('with {} or equal values answers 200 and writes nothing', async () => {
    const { lastSeq } = server
    const task = await newTask({ due_at: inMs(-HOUR_MS), priority: 'low' })
    const { title, status, priority, due_at, contact_ids } = task
    const seq = lastSeq()
    for (const patch of [{}, { title, status, priority, due_at, contact_ids }])
      assert.deepEqual(await patchTask(task.id, patch), task)
    assert.equal(lastSeq(), seq)
  })

  for (const [what, patch, errors] of [
    ['an empty title', { title: '' }, ['/title empty']],
    ['a null priority', { priority: null }, ['/priority invalid_choice']],
    ['completed_at', { completed_at: null }, ['/completed_at unknown_field']],
    ['an unknown deal', { deal_ids: [UNKNOWN] }, ['/deal_ids/0 reference_not_found']],
    ['a conversation', { conversation_id: UNKNOWN }, ['/conversation_id reference_not_found']],
  ] as const) {
    test(`refuses ${what}`, async () => {
      const task = await newTask()
      const { status, body } = await server.call('PATCH', `/tasks/${task.id}`, patch)
      assert.deepEqual([status, errorsOf(body)], [422, errors])
      assert.deepEqual(await getTask(task.id), task)
    })
  }
})

describe('overdue', () => {
  test('is what is open and due in the past, from its millisecond on, without any write', async () => {
    const { advance, call } = server
    const task = await newTask({ due_at: inMs(1000), owner_id: server.a.owner })
    const listed = async () =>
      (await call('GET', `/tasks?owner_id=${server.a.owner}&created_at=${task.created_at}`)).body.data[0]
    for (const [ms, isOverdue] of [
      [0, false],
      [1000, false],
      [1, true],
    ] as const) {
      advance(ms)
      const expected = { ...task, is_overdue: isOverdue }
      assert.deepEqual(await getTask(task.id), expected)
      assert.deepEqual(await listed(), expected)
      assert.deepEqual((await taskIds('is_overdue=true')).includes(task.id), isOverdue)
      assert.deepEqual((await taskIds('is_overdue=false')).includes(task.id), !isOverdue)
    }
  })

  for (const [what, given, isOverdue] of [
    ['open and past', { due_at: -1 }, true],
    ['open and due now', { due_at: 0 }, false],
    ['open and to come', { due_at: 1 }, false],
    ['open and never due', {}, false],
    ['done and past', { due_at: -1, status: 'done' }, false],
    ['canceled and past', { due_at: -1, status: 'canceled' }, false],
    ['done and never due', { status: 'done' }, false],
  ] as [string, { due_at?: number; status?: string }, boolean][]) {
    test(`is ${isOverdue} of a task that is ${what}`, async () => {
      const { due_at, ...status } = given
      const task = await newTask({ ...status, ...(due_at === undefined ? {} : { due_at: inMs(due_at) }) })
      assert.equal(task.is_overdue, isOverdue)
      assert.deepEqual(await getTask(task.id), task)
      const own = `created_at=${task.created_at}&limit=100`
      const found = async (flag: boolean) => (await taskIds(`is_overdue=${flag}&${own}`)).includes(task.id)
      assert.deepEqual([await found(true), await found(false)], [isOverdue, !isOverdue])
    })
  }

  test('follows what a change makes of the task, in the answer and in the event', async () => {
    const { events, lastSeq } = server
    const { id } = await newTask({ due_at: inMs(-HOUR_MS) })
    const seq = lastSeq()
    assert.equal((await patchTask(id, { due_at: inMs(HOUR_MS) })).is_overdue, false)
    assert.equal((await patchTask(id, { due_at: inMs(-HOUR_MS) })).is_overdue, true)
    assert.equal((await patchTask(id, { status: 'done' })).is_overdue, false)
    assert.equal((await patchTask(id, { status: 'open' })).is_overdue, true)
    assert.deepEqual(
      events(seq).map(({ object, previous }) => [previous.is_overdue, object.is_overdue]),
      [
        [true, false],
        [false, true],
        [true, false],
        [false, true],
      ],
    )
  })

  test('is no change of its own: what time made of a task is not in the event of another change', async () => {
    const { advance, events, lastSeq } = server
    const { id } = await newTask({ due_at: inMs(1000) })
    advance(2000)
    const seq = lastSeq()
    const changed = await patchTask(id, { priority: 'high' })
    assert.equal(changed.is_overdue, true)
    assert.deepEqual(events(seq)[0]?.changed_fields, ['priority'])
  })
})

describe('delete', () => {
  test('takes the task with its links and what it was found by, with one event', async () => {
    const { advance, call, events, lastSeq, store } = server
    const contact = await idOf(newContact())
    const task = await newTask({ title: 'Ephemeral', contact_ids: [contact], due_at: inMs(1000) })
    const seq = lastSeq()
    advance(2000)
    assert.equal((await call('DELETE', `/tasks/${task.id}`)).status, 204)
    assert.equal((await call('GET', `/tasks/${task.id}`)).status, 404)
    assert.deepEqual([await taskIds(`contact_id=${contact}`), await taskIds('q=ephemeral')], [[], []])
    assert.equal(store.db.prepare('SELECT count(*) FROM search_docs WHERE record_id = ?').pluck().get(task.id), 0)
    const [event, ...more] = events(seq)
    assert.deepEqual([event?.type, event?.object, more], ['task.deleted', { ...task, is_overdue: true }, []])
  })

  for (const [path, field, make] of [
    ['/contacts', 'contact_ids', () => idOf(newContact())],
    ['/companies', 'company_ids', () => idOf(newCompany())],
  ] as const) {
    test(`of one of ${path} takes it off its tasks in the same transaction, each with its own event`, async () => {
      const { advance, call, events, lastSeq, store } = server
      const [gone, stays] = [await make(), await make()]
      const late = await newTask({ [field]: [gone], due_at: inMs(-1) })
      const done = await newTask({ [field]: [stays, gone], status: 'done' })
      const other = await newTask({ [field]: [stays] })
      advance(1000)
      const seq = lastSeq()
      assert.equal((await call('DELETE', `${path}/${gone}`)).status, 204)
      const updated_at = inMs(0)
      const expected = [
        { ...late, [field]: [], updated_at, version: 2 },
        { ...done, [field]: [stays], updated_at, version: 2 },
      ]
      for (const task of [...expected, other]) assert.deepEqual(await getTask(task.id), task)
      const written = events(seq)
      assert.deepEqual(
        written.slice(0, -1).map(({ type, object, changed_fields }) => [type, object, changed_fields]),
        expected.map((task) => ['task.updated', task, [field]]),
      )
      assert.equal(written[2]?.object_id, gone)
      assert.deepEqual(store.db.pragma('foreign_key_check'), [])
    })
  }
})

describe('list', () => {
  test('filters and sorts by each of its parameters', async () => {
    const { a, advance } = server
    const [contact, company, deal] = [await idOf(newContact()), await idOf(newCompany()), await idOf(newDeal())]
    advance(60_000)
    const start = inMs(0)
    const [soon, later] = [inMs(HOUR_MS), inMs(2 * HOUR_MS)]
    const first = await newTask({ due_at: later, priority: 'low', type: 'call', contact_ids: [contact] })
    advance(1000)
    const second = await newTask({ priority: 'high', owner_id: a.owner, company_ids: [company], status: 'done' })
    advance(1000)
    const third = await newTask({ title: 'Déjeuner', body: 'in Łódź', due_at: soon, deal_ids: [deal] })
    advance(1000)
    await patchTask(first.id, { body: 'Changed' })
    const expected: [string, string[]][] = [
      ['', [third.id, second.id, first.id]],
      ['status=open', [third.id, first.id]],
      ['status[ne]=open', [second.id]],
      ['status[in]=done,canceled', [second.id]],
      [`owner_id=${a.owner}`, [second.id]],
      ['owner_id=null', [third.id, first.id]],
      ['type=call', [first.id]],
      ['type[in]=todo,email', [third.id, second.id]],
      ['priority=high', [second.id]],
      ['priority[ne]=high', [third.id, first.id]],
      ['priority[in]=low,normal', [third.id, first.id]],
      [`due_at=${soon}`, [third.id]],
      [`due_at[lt]=${later}`, [third.id]],
      [`due_at[gte]=${soon}`, [third.id, first.id]],
      ['due_at=null', [second.id]],
      ['is_overdue=true', []],
      ['is_overdue=false', [third.id, second.id, first.id]],
      [`contact_id=${contact}`, [first.id]],
      [`company_id[in]=${company},${UNKNOWN}`, [second.id]],
      [`deal_id=${deal}`, [third.id]],
      ['conversation_id=null', [third.id, second.id, first.id]],
      [`conversation_id=${UNKNOWN}`, []],
      [`created_at=${start}`, [first.id]],
      [`updated_at[gt]=${third.updated_at}`, [first.id]],
      ['q=dejeuner', [third.id]],
      ['q=lodz', [third.id]],
      ['sort=created_at', [first.id, second.id, third.id]],
      ['sort=-updated_at', [first.id, third.id, second.id]],
      ['sort=due_at', [third.id, first.id, second.id]],
      ['sort=-due_at', [first.id, third.id, second.id]],
      ['sort=priority', [first.id, third.id, second.id]],
      ['sort=-priority', [second.id, third.id, first.id]],
    ]
    for (const [query, found] of expected) {
      assert.deepEqual(await taskIds(encodeURI(`created_at[gte]=${start}&${query}`)), found, query)
    }
    await patchTask(first.id, { priority: 'high' })
    assert.deepEqual(await taskIds(encodeURI(`created_at[gte]=${start}&sort=priority`)), [
      third.id,
      first.id,
      second.id,
    ])
    advance(HOUR_MS)
    assert.deepEqual(await taskIds(encodeURI(`created_at[gte]=${start}&is_overdue=true`)), [third.id])
    assert.deepEqual(await taskIds(encodeURI(`created_at[gte]=${start}&is_overdue=false`)), [second.id, first.id])
  })

  test('pages through what is filtered by the field that it is sorted by', async () => {
    const { a, advance } = server
    advance(60_000)
    const start = inMs(0)
    const made: string[] = []
    for (let n = 0; n < 9; n++) {
      const due_at = n % 2 ? inMs(-n * HOUR_MS) : null
      made.push(
        await newId('/tasks', {
          title: 'Paged',
          priority: ['high', 'low', 'normal'][n % 3],
          due_at,
          owner_id: a.owner,
        }),
      )
    }
    const walk = async (query: string): Promise<string[]> => {
      const found: string[] = []
      for (let cursor: string | null = ''; cursor !== null; ) {
        const path = `/tasks?created_at[gte]=${start}&${query}&limit=2${cursor && `&cursor=${cursor}`}`
        const { body } = await server.call('GET', path)
        found.push(...body.data.map(({ id }: { id: string }) => id))
        cursor = body.next_cursor
      }
      return found
    }
    const at = (...places: number[]) => places.map((place) => made[place])
    assert.deepEqual(await walk('priority[in]=low,high&sort=priority'), at(1, 4, 7, 0, 3, 6))
    assert.deepEqual(await walk('priority[in]=low,high&sort=-priority'), at(6, 3, 0, 7, 4, 1))
    assert.deepEqual(await walk('is_overdue=true&sort=due_at'), at(7, 5, 3, 1))
    assert.deepEqual(await walk('is_overdue=true&sort=-due_at'), at(1, 3, 5, 7))
    assert.deepEqual(await walk('is_overdue=false&sort=due_at'), at(0, 2, 4, 6, 8))
  })

  test('searches title and body as they are now', async () => {
    const { id } = await newTask({ title: 'Quarterly review', body: 'Budget approved' })
    for (const q of ['quarter', 'APPR review']) assert.deepEqual(await taskIds(`q=${encodeURIComponent(q)}`), [id], q)
    await patchTask(id, { body: null })
    assert.deepEqual([await taskIds('q=approved'), await taskIds('q=quarterly')], [[], [id]])
    await patchTask(id, { title: 'Yearly review' })
    assert.deepEqual([await taskIds('q=quarterly'), await taskIds('q=yearly')], [[], [id]])
  })
})
