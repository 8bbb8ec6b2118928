import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { SCOPES, type Scope } from '../../src/auth/scopes.ts'
import type { Route, WriteRoute } from '../../src/http/route.ts'
import type { Org } from '../support/org.ts'
import { sendRaw } from '../support/raw.ts'
import { UNKNOWN } from '../support/records.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { setLevels } from '../support/settings.ts'

// What holds for every route of the catalog. New resources are covered automatically.

const server: TestServer = await startServer()
after(() => server.stop())

/** A record of each resource that paths name, in either organisation. Add every new resource here. */
const RECORDS: Record<string, (org: Org) => Promise<string>> = {
  companies: (org) => made(org, '/companies', { name: 'Swept' }),
  contacts: (org) => made(org, '/contacts', { first_name: 'Swept' }),
  conversations: async (org) => (await newMessage(org)).conversation_id,
  'custom-fields': (org) =>
    made(org, '/custom-fields', { object: 'deal', key: `swept_${count++}`, label: 'Swept', type: 'text' }),
  deals: (org) => made(org, '/deals', { title: 'Swept' }),
  enrollments: async (org) => {
    const contact_id = await record('/contacts', org)
    return made(org, '/enrollments', { contact_id, sequence_id: levels(org).calls as string })
  },
  hours: async (org) => levels(org).office as string,
  lists: (org) => made(org, '/lists', { name: 'Swept', object: 'deal', kind: 'static' }),
  meetings: async (org) => {
    const times = { starts_at: '2026-12-01T09:00:00Z', ends_at: '2026-12-01T10:00:00Z' }
    const id = await made(org, '/meetings', { title: 'Swept', ...times })
    await call('PUT', `/meetings/${id}/transcript`, { segments: [] }, { token: org.token })
    return id
  },
  members: async (org) => org.owner,
  messages: async (org) => (await newMessage(org)).id,
  notes: async (org) => made(org, '/notes', { body: 'Swept', deal_ids: [await record('/deals', org)] }),
  sequences: async (org) => levels(org).welcome as string,
  sla: async (org) => levels(org).usual as string,
  stages: async (org) => org.stages.demo,
  tags: (org) => made(org, '/tags', { name: `Swept ${count++}` }),
  tasks: (org) => made(org, '/tasks', { title: 'Swept' }),
  webhooks: (org) => made(org, '/webhooks', { url: 'https://swept.example/', event_types: ['*'] }),
}
let count = 0

const levels = ({ org }: Org) =>
  setLevels(server.store, org, {
    hours: [{ key: 'office', name: 'Swept', timezone: 'UTC', weekly: {} }],
    sla: [{ key: 'usual', name: 'Swept', hours: 'office', targets: {} }],
    sequences: [
      { key: 'welcome', name: 'Swept', status: 'draft', hours: 'office', steps: [] },
      { key: 'calls', name: 'Swept', status: 'active', steps: [{ type: 'call', delay_s: 60, task_title: 'Swept' }] },
    ],
  })

const made = async (org: Org, path: string, given: object): Promise<string> => (await answer(org, path, given)).id

const newMessage = (org: Org, given: object = {}) =>
  answer(org, '/messages', {
    ...given,
    from: { email: 'swept@swept.example' },
    channel: 'chat',
    direction: 'inbound',
    body_text: 'Swept',
  })

async function answer(org: Org, path: string, given: object) {
  const { status, body } = await server.call('POST', path, given, { token: org.token })
  assert.equal(status, 201, JSON.stringify(body))
  return body
}

function record(path: string, org: Org): Promise<string> {
  const resource = path.split('/')[1] as string
  const make = RECORDS[resource]
  assert.ok(make, `sweeps.test.ts has to know how to make one of ${resource}`)
  return make(org)
}

const { call, routes, a, b } = server
const nameOf = ({ method, path }: Route) => `${method.toUpperCase()} ${path}`
const fillIn = (path: string, id = UNKNOWN, second = UNKNOWN) => path.replace(':id', id).replace(/:\w+_id/, second)
const pathOf = ({ path }: Route, id = UNKNOWN, second = UNKNOWN) => fillIn(path, id, second)
const isWrite = (route: Route): route is WriteRoute => route.kind === 'write'
/** Makes a record with one below it, for the paths that name both. */
const PAIRS: Record<string, (org: Org) => Promise<[string, string]>> = {
  ':delivery_id': async (org) => {
    const webhook = await record('/webhooks', org)
    const { body } = await call('POST', `/webhooks/${webhook}/test`, undefined, { token: org.token })
    return [webhook, body.id]
  },
  ':attachment_id': async (org) => {
    const { id, attachments } = await newMessage(org, { attachments: [{ name: 'swept', data: 'AAAA' }] })
    return [id, attachments[0].id]
  },
}
const pairOf = ({ path }: Route) => PAIRS[/:\w+_id/.exec(path)?.[0] ?? '']
const bodyOf = (route: Route) => (isWrite(route) && route.body ? {} : undefined)
const paths = [...new Set(routes.map(({ path }) => path))]
const named = routes.filter(({ path }) => path.includes(':'))
const send = (route: Route, path: string, token: string | null = a.token, body: unknown = bodyOf(route)) =>
  call(route.method.toUpperCase(), path, body, { token })

test('there are routes to sweep', () => {
  assert.ok(routes.length > 20 && named.length > 10)
  assert.deepEqual(
    paths.filter((path) => path.split(':').length > 2),
    routes.filter(pairOf).map(({ path }) => path),
    'a second id in a path has to be known here',
  )
})

describe('without a token it is 401', () => {
  for (const route of routes) {
    test(nameOf(route), async () => {
      const { status, body, headers } = await send(route, pathOf(route), null)
      assert.deepEqual([status, body.code], [401, 'unauthorized'])
      assert.equal(headers.get('www-authenticate'), 'Bearer')
    })
  }
})

describe('with every scope but its own it is 403, and with its own alone it is not', () => {
  let tokens: Map<Scope, { without: string; only: string }>
  before(async () => {
    tokens = new Map()
    for (const scope of SCOPES) {
      const without = await server.tokenWith(SCOPES.filter((each) => each !== scope))
      tokens.set(scope, { without: without.token, only: (await server.tokenWith([scope])).token })
    }
  })
  for (const route of routes) {
    test(nameOf(route), async () => {
      const { without, only } = tokens.get(route.scope)!
      const { status, body } = await send(route, pathOf(route), without)
      assert.deepEqual([status, body.code, body.scope], [403, 'insufficient_scope', route.scope])
      assert.notEqual((await send(route, pathOf(route), only)).status, 403)
    })
  }
})

describe('an id that is not there and one of another organisation are 404, the same to the byte', () => {
  for (const route of named) {
    test(nameOf(route), async () => {
      const foreign = await record(route.path, b)
      const seq = server.lastSeq(b)
      const headers = { 'x-request-id': 'the-same' }
      const answers = []
      for (const id of [UNKNOWN, foreign, 'not-a-uuid', foreign.toUpperCase()])
        answers.push(await call(route.method.toUpperCase(), pathOf(route, id), bodyOf(route), { headers }))
      for (const { status, text, headers: got } of answers) {
        assert.equal(status, 404)
        assert.equal(text, answers[0]?.text)
        assert.deepEqual(steady(got), steady(answers[0]!.headers))
      }
      assert.equal(server.lastSeq(b), seq, 'nothing happened there')
      const readable = routes.some(({ kind, path }) => kind === 'read' && path === route.path)
      if (readable) assert.equal((await call('GET', pathOf(route, foreign), undefined, { token: b.token })).status, 200)
    })
  }
  const steady = (headers: Headers) => [...headers].filter(([name]) => name !== 'date')
})

describe('the second id of a path is 404 where it is not of the first, the same to the byte', () => {
  for (const route of routes.filter(pairOf)) {
    test(nameOf(route), async () => {
      const make = pairOf(route)!
      const [[own, below], [, other], [foreign, foreignBelow]] = [await make(a), await make(a), await make(b)]
      const send = (id: string, second: string) =>
        call(route.method.toUpperCase(), pathOf(route, id, second), bodyOf(route), {
          headers: { 'x-request-id': 'same' },
        })
      assert.equal((await send(own, below)).status, 200)
      const none = await send(own, UNKNOWN)
      assert.deepEqual([none.status, none.body.code], [404, 'not_found'])
      for (const [id, second] of [
        [own, other],
        [own, foreignBelow],
        [foreign, foreignBelow],
        [foreign, below],
        [UNKNOWN, below],
        [own, below.toUpperCase()],
        [own, 'not-a-uuid'],
      ] as const)
        assert.equal((await send(id, second)).text, none.text, `${id} ${second}`)
    })
  }
})

describe('an unknown parameter is 400, and named', () => {
  for (const route of routes) {
    test(nameOf(route), async () => {
      const { status, body } = await send(route, `${pathOf(route)}?surprise=1`)
      assert.deepEqual([status, body.code], [400, 'invalid_query'])
      assert.match(body.detail, /"surprise".*allowed/)
      if (route.kind === 'list') assert.match(body.detail, /limit, cursor, count/)
    })
  }
})

describe('an unknown and a read-only member of a body are 422, by their pointer', () => {
  for (const route of routes.filter((each) => isWrite(each) && each.body)) {
    test(nameOf(route), async () => {
      const path = route.path.includes(':') ? pathOf(route, await record(route.path, a)) : route.path
      const seq = server.lastSeq()
      const { status, body } = await send(route, path, a.token, { surprise: 1, id: UNKNOWN, version: 7 })
      assert.equal(status, 422)
      const pointers = body.errors.map(({ pointer, code }: Record<string, string>) => `${pointer} ${code}`)
      assert.ok(pointers.includes('/surprise unknown_field'), pointers.join())
      assert.equal(server.lastSeq(), seq)
      for (const name of ['id', 'version', 'created_at', 'org_id', 'constructor']) {
        const again = await send(route, path, a.token, { [name]: UNKNOWN })
        const unknown = again.body.errors.map(({ pointer, code }: Record<string, string>) => `${pointer} ${code}`)
        assert.ok(unknown.includes(`/${name} unknown_field`), unknown.join())
      }
    })
  }
})

describe('every other method is 405 with Allow', () => {
  const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY', 'FETCH']
  for (const path of paths) {
    test(path, async () => {
      const own = routes.filter((route) => route.path === path).map(({ method }) => method.toUpperCase())
      const allowed = [...own, ...(own.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].sort()
      for (const method of METHODS) {
        const request = `${method} /api/v1${fillIn(path)} HTTP/1.1\r\nHost: x\r\n\r\n`
        const { status, headers } = await sendRaw(server.url, request, { methods: [method] })
        assert.equal(status, method === 'OPTIONS' ? 204 : allowed.includes(method) ? 401 : 405, method)
        if (status !== 401) assert.deepEqual(headers.allow?.split(', ').sort(), allowed)
      }
    })
  }
})

describe('a path written in another way is 404', () => {
  for (const path of paths) {
    test(path, async () => {
      const own = fillIn(path)
      const escaped = own.replace(/^\/(.)/, (_, first: string) => `/%${first.charCodeAt(0).toString(16)}`)
      const capital = own.replace(/[a-z]+$/, (last) => last.toUpperCase())
      const others = [`${own}/`, own.toUpperCase(), `/${own}`, escaped, `${own}%20`, `.${own}`, `/x${own}`]
      for (const other of [...others, ...(capital === own ? [] : [capital])]) {
        const { status, body } = await sendRaw(server.url, `GET /api/v1${other} HTTP/1.1\r\nHost: x\r\n\r\n`)
        // Next to a path such as /webhooks/:id, the capital letter is read as an id: 404 with a token.
        const isId = other === capital && own === path && paths.includes(path.replace(/[^/]+$/, ':id'))
        assert.deepEqual([status, JSON.parse(body).code], isId ? [401, 'unauthorized'] : [404, 'no_such_path'], other)
        if (isId) assert.equal((await call('GET', other)).status, 404)
      }
    })
  }
})
