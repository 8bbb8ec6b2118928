import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { type Listener, listen } from '../../src/http/listener/server.ts'
import { silentLog } from '../../src/lib/log.ts'
import type { OpenApi, Operation, Schema } from '../../src/site/reference/document.ts'
import { groupsOf, nameOf, partsOf, resolve } from '../../src/site/reference/document.ts'
import { referencePage } from '../../src/site/reference/reference.ts'
import { screensServer } from '../../src/site/site.ts'
import { inboxOf } from '../support/inbox.ts'
import { setMailboxes } from '../support/mailbox.ts'
import { givenToScreens } from '../support/screens.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { setLevels } from '../support/settings.ts'

let server: TestServer
let listener: Listener
let document: OpenApi
let page: string
let operations: Operation[]
let parts: Set<string>

before(async () => {
  server = await startServer()
  document = server.document
  operations = groupsOf(document).flatMap((group) => group.operations)
  parts = partsOf(document, groupsOf(document))
  const { routes, store, deps, dataDir, url } = server
  const options = {
    document: () => document,
    routes,
    prefix: '/api/v1',
    store,
    deps,
    dataDir,
    stopping: new AbortController().signal,
  }
  const site = screensServer({ ...options, ...givenToScreens(server), apiUrl: url, log: silentLog })
  listener = await listen(site.callback(), { host: '127.0.0.1', port: 0 })
  page = await (await fetch(`${listener.url}/reference`)).text()
})
after(async () => {
  await listener.stop(1000)
  await server.stop()
})

const all = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, found]) => found as string)
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }
/** What a reader sees of a piece of the page. */
const textOf = (markup: string): string =>
  markup.replace(/<[^>]*>/g, '').replace(/&(\w+|#39);/g, (_, name: string) => ENTITIES[name] as string)
/** The section with the id, up to the next one. */
const sectionOf = (id: string): string => {
  const start = page.indexOf(`id="${id}"`)
  assert.ok(start > 0, `there is no #${id}`)
  return page.slice(start, page.indexOf('</section>', start))
}
/** The fields of a schema, and of the parts that are shown with it. */
const propertiesOf = (schema: Schema): string[] =>
  Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const inner = field.items ?? field.anyOf?.[0] ?? field
    return [name, ...(parts.has(nameOf(inner) ?? '') ? propertiesOf(resolve(document, inner)) : [])]
  })

describe('the page shows', () => {
  test('every operation: method, path, scope, parameters with their operators, body and statuses', () => {
    const total = Object.values(document.paths).flatMap(({ parameters, ...methods }) => Object.keys(methods)).length
    assert.equal(operations.length, total)
    for (const { id, method, path, summary, scopes, parameters, body, answers } of operations) {
      const section = sectionOf(id)
      const text = textOf(section)
      for (const said of [method.toUpperCase(), path, summary, ...scopes, ...Object.keys(body ?? {})])
        assert.ok(text.includes(said), `${id} says ${said}`)
      assert.equal(scopes.length, 1, id)
      for (const { name } of parameters) {
        const [, base, operator] = /^([^[]+)(\[\w+\])?$/.exec(name) as RegExpExecArray
        const row = section.slice(section.indexOf(`<code>${base}</code>`)).split('</div>')[0] as string
        assert.ok(textOf(row).startsWith(base as string), `${id} has a row for ${base}`)
        if (operator) assert.ok(textOf(row).includes(operator), `${id} has ${name} in the row of ${base}`)
      }
      for (const { status, response } of answers) {
        assert.ok(text.includes(status), `${id} says ${status}`)
        for (const word of textOf(response.description.replace(/`/g, '')).split(' ')) assert.ok(text.includes(word))
      }
    }
  })

  test('every schema, with all its fields', () => {
    for (const name of ['ContactEmail', 'DealPage', 'FilterValue', 'CreateEnrollmentAnswer']) assert.ok(parts.has(name))
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      if (parts.has(name)) continue
      const text = textOf(sectionOf(`schema-${name}`))
      for (const field of propertiesOf(schema)) assert.ok(text.includes(field), `${name} has ${field}`)
    }
  })

  test('what a field may be', () => {
    const rows = new Map(
      sectionOf('createDeal')
        .split('<dt>')
        .map((row) => [textOf(row.split('</dt>')[0] as string), textOf(row.split('<dd>')[1] ?? '')]),
    )
    assert.match(rows.get('title required') as string, /^string · 1 to 255 characters/)
    assert.match(rows.get('amount') as string, /^number or null · 0 to 9,000,000,000,000Value of the deal/)
    assert.match(rows.get('amount') as string, /at most 6 decimals and 15 significant digits/)
    assert.match(rows.get('currency') as string, /An ISO 4217 currency code/)
    assert.match(rows.get('tag_ids') as string, /^array of UUID · at most 1,000 items/)
    const list = textOf(sectionOf('listDeals'))
    assert.match(list, /amount \[ne\] \[gt\] \[gte\] \[lt\] \[lte\]/)
    assert.match(list, /limit\s+integer · 1 to 100 · default 50/)
    assert.match(textOf(sectionOf('schema-Deal')), /status read-only\s+open or won or lost/)
    const contact = textOf(sectionOf('schema-Contact'))
    assert.match(contact, /emails\s+array of object · at most 1,000 items/)
    assert.match(contact, /emails\[\]\.label\s+work or home or other/)
    assert.match(contact, /address\s+object or nullPostal address/)
    assert.match(contact, /address\.city\s+string or null/)
    assert.match(textOf(sectionOf('listContacts')), /data\s+array of Contact[\s\S]*next_cursor\s+string or null/)
    assert.match(
      textOf(sectionOf('schema-ListFilter')),
      /value optional\s+string or number or boolean or array of string or/,
    )
  })

  test('the introduction of the document', () => {
    const text = textOf(page)
    for (const [, title] of document.info.description.matchAll(/^## (.+)$/gm))
      assert.ok(page.includes(`id="${title?.toLowerCase()}"`), `${title} is missing`)
    assert.match(text, /dealbox token create --email/)
    assert.match(text, new RegExp(`Base URL${server.url}/api/v1`))
  })

  test('an object that nothing answers, and an operation without a scope', () => {
    const small = structuredClone(document)
    small.components.schemas.Lonely = { type: 'object', properties: { one: { $ref: '#/components/schemas/Deal' } } }
    for (const methods of Object.values(small.paths)) for (const one of Object.values(methods)) delete one.security
    const text = referencePage(small)
    assert.match(text, /id="schema-Lonely"/)
    assert.match(text, /<a href="#schema-Deal">Deal<\/a>/)
    assert.doesNotMatch(text, /class="scope"/)
  })
})

describe('the page is sound', () => {
  test('ids are unique, and every link leads somewhere', async () => {
    const ids = all(page, /\sid="([^"]*)"/g)
    assert.ok(ids.length > 60)
    assert.deepEqual(ids, [...new Set(ids)])
    const targets = new Set(all(page, /\s(?:href|src)="([^"]*)"/g))
    for (const target of targets) {
      if (target.startsWith('#')) assert.ok(ids.includes(target.slice(1)), target)
      else assert.equal((await fetch(new URL(target, `${listener.url}/reference`))).status, 200, target)
    }
    for (const id of all(page, /aria-labelledby="([^"]*)"/g)) assert.ok(ids.includes(id), id)
  })

  test('elements are closed in order, headings skip no level, and there is one main landmark', () => {
    const open: string[] = []
    for (const [, end, name] of page.matchAll(/<(\/?)([a-z]+[1-6]?)\b[^>]*>/g)) {
      if (/^(meta|link|img|input)$/.test(name as string)) continue
      if (end) assert.equal(open.pop(), name)
      else open.push(name as string)
    }
    assert.deepEqual(open, [])
    const levels = all(page, /<h([1-6])/g).map(Number)
    assert.equal(levels[0], 1)
    for (const [index, level] of levels.entries()) assert.ok(index === 0 || level <= (levels[index - 1] as number) + 1)
    assert.equal(levels.filter((level) => level === 1).length, 1)
    assert.equal(all(page, /<(main)\b/g).length, 1)
  })

  test('nothing is loaded from another host, and nothing is inline', () => {
    for (const target of all(page, /\s(?:href|src|srcset|action|data|poster)="([^"]*)"/g))
      assert.match(target, /^(#|[a-z]+\.[a-z]+$)/)
    assert.doesNotMatch(page, /<style|\sstyle=|\son[a-z]+=|<script(?! src="reference\.js" defer><\/script>)/)
    const web = (file: string) => readFileSync(join(import.meta.dirname, '../../src/web', file), 'utf8')
    assert.doesNotMatch(web('reference.css'), /url\(|@import|\/\//)
    assert.doesNotMatch(web('reference.js'), /https?:|fetch|import|XMLHttp|innerHTML/)
    assert.doesNotMatch(web('icon.svg').replace('http://www.w3.org/2000/svg', ''), /href|https?:/)
  })

  test('text of the document never becomes markup', () => {
    const evil = `</code></pre><script>alert(1)</script><img src=x onerror="alert(2)" '&amp;" onfocus=alert(3) x="`
    const infect = (value: unknown, key = ''): unknown => {
      if (typeof value === 'string') return /^(\$ref|in|url)$/.test(key) ? value : evil + value
      if (Array.isArray(value)) return value.map((one) => infect(one, key))
      if (value === null || typeof value !== 'object') return value
      return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, infect(one, name)]))
    }
    const infected = infect(structuredClone(document)) as OpenApi
    infected.paths[`/${evil}`] = structuredClone(infected.paths['/deals']) as OpenApi['paths'][string]
    infected.components.schemas.Deal = { properties: { [evil]: { type: evil, enum: [evil], description: evil } } }
    const tagsOf = (text: string) => [...new Set(all(text, /<\/?([a-z]+[1-6]?)/gi))].sort()
    const attributesOf = (text: string) =>
      [
        ...new Set(all(text, /(<[a-z][^>]*>)/gi).flatMap((tag) => all(tag.replace(/"[^"]*"/g, '""'), /\s([\w-]+)=/g))),
      ].sort()
    infected.servers = [{ url: `http://127.0.0.1:1/${evil}` }]
    const text = referencePage(infected)
    assert.deepEqual(tagsOf(text), tagsOf(page))
    assert.deepEqual(attributesOf(text), attributesOf(page))
    assert.equal(all(text, /(<script)/g).length, 1)
    assert.ok(text.includes('&lt;script&gt;alert(1)'))
  })
})

const hasCurl = process.platform !== 'win32' && spawnSync('curl', ['--version']).status === 0

/** A reply that waits. */
async function heldMail(): Promise<string> {
  setMailboxes(server)
  const { say, inMs, make } = inboxOf(server)
  const { conversation_id } = await say('inbound', undefined, { channel: 'email' })
  const later = { direction: 'outbound', body_text: 'Later', send_at: inMs(60_000) }
  return (await make('/messages', { conversation_id, ...later })).id
}

test('every example of the page works when pasted into a shell', { skip: !hasCurl && 'needs curl' }, async () => {
  const run = promisify(execFile)
  const contact = async (first_name: string) => (await server.call('POST', '/contacts', { first_name })).body.id
  const variables: Record<string, string> = {
    TOKEN: server.a.token,
    REASON_ID: server.a.reasons.won,
    ADD_ID: await contact('In'),
    REMOVE_ID: await contact('Out'),
  }
  const said = await server.call('POST', '/messages', {
    contact_id: variables.ADD_ID,
    channel: 'chat',
    direction: 'inbound',
    body_text: 'Hello',
    attachments: [{ name: 'hello.json', data: Buffer.from('{"hello":1}').toString('base64') }],
  })
  variables.CONVERSATION_ID = said.body.conversation_id
  variables.ATTACHMENT_ID = said.body.attachments[0].id
  setLevels(server.store, server.a.org, {
    hours: [{ key: 'office', name: 'Office', timezone: 'Europe/Berlin', weekly: {} }],
    sla: [{ key: 'usual', name: 'Usual', hours: 'office', targets: {} }],
    sequences: [
      { key: 'fair', name: 'Fair', status: 'active', steps: [{ type: 'task', delay_s: 0, task_title: 'Call' }] },
    ],
  })
  /** What is answered below the paths of others, by a member that it has. */
  const OTHERS = [
    ['tries', 'DELIVERY'],
    ['seq', 'EVENT'],
    ['segments', 'TRANSCRIPT'],
    ['direction', 'MESSAGE'],
  ] as const
  for (const group of groupsOf(document)) {
    const name = group.objects[0]?.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase()
    // What was sent can be sent again, what was put can be read, and what was deleted is no more.
    const RANKS = ['put', 'getTranscript', 'deleteTranscript', 'redeliver', 'cancelMessage', 'delete']
    const rank = ({ id, method }: { id: string; method: string }) => RANKS.indexOf(RANKS.includes(id) ? id : method)
    if (name === 'ENROLLMENT') variables.CONTACT_ID = await contact('Enrolled') // that of the contacts was deleted
    for (const { id } of group.operations.toSorted((one, other) => rank(one) - rank(other))) {
      if (id === 'getAttachmentOfMessage') variables.MESSAGE_ID = said.body.id
      if (id === 'cancelMessage') variables.MESSAGE_ID = await heldMail()
      const command = textOf(/<pre>(.*?)<\/pre>/s.exec(sectionOf(id))?.[1] as string)
      assert.match(command, /^curl /, id)
      const { stdout } = await run('sh', ['-c', command.replace(/^curl/, "curl -sS -w '\\n%{http_code}'")], {
        env: { ...process.env, ...variables },
      })
      const [body = '', status = ''] = stdout.split(/\n(?=\d+$)/)
      assert.match(status, /^2\d\d$/, `${command}\n${stdout}`)
      const answer = body === '' ? {} : JSON.parse(body)
      const record = answer.data?.[0] ?? answer
      const kind = OTHERS.find(([member]) => member in record)?.[1] ?? name
      if (record.id) variables[`${kind}_ID`] = record.id
    }
  }
})
