import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { showSettings } from '../../src/app/settings/document.ts'
import { mergeStore } from '../../src/cleanup/merges/merges.ts'
import { replaySeed } from '../../src/demo/replay/replay.ts'
import { importFile } from '../../src/imports/csv/import.ts'
import { undoImport } from '../../src/imports/journal/undo.ts'
import { savedReplyStore } from '../../src/personal/saved-replies.ts'
import type { Org } from '../support/org.ts'
import type { TestServer } from '../support/server.ts'
import { setLevels } from '../support/settings.ts'
import { fillMail } from './export-fixture-mail.ts'

// An organisation with everything that there is, and with what is easily lost on the way.

export type Body = Record<string, unknown> & { id: string }

/** A temporary folder, and how to be rid of it. */
export function scratch(): { folder: string; drop: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'dealbox-export-'))
  return { folder, drop: () => rmSync(folder, { recursive: true, force: true }) }
}

/** Texts that a spreadsheet would run, and others that are hard to write down. */
export const TEXTS = [
  '=HYPERLINK("https://evil.example","x")',
  '+1+1',
  '-2+3',
  '@SUM(1)',
  '\tTab',
  '\rReturn',
  '"=1+1',
  "'=1+1",
  '＝1+1',
  ' ＠x',
  'comma, "quote"; semicolon',
  'two\nlines\r\nand three',
  'Zoë ﬁ 日本 🚀',
  '\\u0041 \u2028 {"a":1}',
]

const OPTIONS = ['a', 'b, c', 'd;e', '=f'].map((value) => ({ value, label: value }))

const VALUES = {
  text: (at: number) => TEXTS[at % TEXTS.length] as string,
  number: (at: number) => [-1.5, 0, 1e21, 0.1, -0.000001, 1234.567, 9007199254740991][at % 7] as number,
  boolean: (at: number) => at % 2 === 0,
  date: (at: number) => `2026-0${1 + (at % 9)}-01`,
  datetime: (at: number) => `2026-11-0${1 + (at % 9)}T08:36:00.12${at % 10}Z`,
  select: (at: number) => OPTIONS[at % 3]?.value,
  multi_select: (at: number) => (at === 0 ? OPTIONS.slice(3) : OPTIONS.slice(at % 3)).map(({ value }) => value),
  url: (at: number) => `https://example.com/?q=${at}`,
  email: (at: number) => `Ana+${at}@Example.com`,
  phone: (at: number) => `+49 (30) 12${at}`,
  member: (_: number, owner: string) => owner,
}
const TYPES = Object.keys(VALUES) as (keyof typeof VALUES)[]

export async function fill(server: TestServer, org: Org): Promise<void> {
  const { call, store } = server
  replaySeed(store, { org: org.org, seed: 7, profile: 'demo', asOf: server.now() })
  store.db
    .prepare(
      "UPDATE orgs SET public_base_url = 'https://crm.acme.example', timezone = 'Asia/Tokyo', country = 'JP', keep_originals_days = 30, keep_originals_mib = 512 WHERE id = ?",
    )
    .run(org.org)

  async function send(method: string, path: string, body?: object): Promise<Body> {
    const answer = await call(method, path, body, { token: org.token })
    assert.ok(answer.status < 300, `${method} ${path} ${answer.status} ${answer.text}`)
    return answer.body
  }

  for (const object of ['contact', 'company', 'deal']) {
    for (const type of TYPES) {
      const more = type.endsWith('select') ? { options: OPTIONS } : { is_unique: type === 'text' || type === 'number' }
      await send('POST', '/custom-fields', {
        object,
        key: `its_${type}`,
        label: `Its ${type}`,
        help_text: '=x',
        type,
        ...more,
      })
      if (type !== 'boolean') {
        await send('POST', '/custom-fields', { object, key: `old_${type}`, label: `Old ${type}`, type, ...more })
      }
    }
  }
  const values = (at: number) => {
    const all = TYPES.map((type) => [`its_${type}`, VALUES[type](at, org.owner)])
    const old = TYPES.filter((type) => type !== 'boolean')
    return Object.fromEntries([...all, ...old.map((type) => [`old_${type}`, VALUES[type](at, org.owner)])])
  }

  const intervals = [{ from: '00:00', to: '24:00' }]
  const { hours, sla } = showSettings(store, org.org) // conversations fall under those of the seed
  setLevels(store, org.org, {
    hours: [
      ...hours.map((each) => ({ ...each, is_default: false })),
      ...TEXTS.map((text, at) => ({
        ...{
          key: `h${at}`,
          name: `x ${text}`,
          timezone: 'Asia/Kathmandu',
          is_default: at === 3,
          weekly: { sun: intervals },
        },
        exceptions: [
          { from_date: '2026-01-01', to_date: '2026-01-02', name: text, intervals },
          { from_date: '0001-01-01' },
        ],
      })),
    ],
    sla: [
      ...sla.map((each) => ({ ...each, is_default: false })),
      ...TEXTS.map((text, at) => ({
        ...{ key: `p${at}`, name: `x ${text}`, is_default: at === 1, hours: at % 3 === 0 ? null : `h${at}` },
        match: at % 3 === 0 ? { field: 'subject', op: 'contains', value: text } : null,
        targets: { low: { first_response_s: 1, next_response_s: 31_536_000 } },
        pause_on: ['pending', 'snoozed'].slice(at % 2),
      })),
    ],
  })
  const tag = await send('POST', '/tags', { name: '=Tag; one', color: '#0a0b0c', description: 'of, all' })
  const tags = { tag_ids: [tag.id], owner_id: org.owner }
  const companies: Body[] = []
  const contacts: Body[] = []
  const deals: Body[] = []
  const address = { line1: '=1', line2: 'B', city: 'C', region: 'D', postal_code: '01067', country: 'DE' }
  for (let at = 0; at < 7; at++) {
    const text = TEXTS[at] as string
    companies.push(
      await send('POST', '/companies', {
        name: text.trim(),
        domains: [`one${at}.example`, `two${at}.example`],
        website: 'https://one.example',
        phone: '+49 30 1234',
        industry: text,
        employee_count: at,
        annual_revenue: [0, 0.000001, 123456789.123456, 9_000_000_000_000, 1.234, 25000, 25000.1][at],
        currency: 'EUR',
        linkedin_url: 'https://linkedin.example/x',
        description: TEXTS[at + 7],
        external_id: text,
        originally_created_at: '1999-12-31T23:59:59.999Z',
        address,
        custom_fields: values(at),
        ...tags,
      }),
    )
  }
  // The first refers to one that came after it.
  await send('PATCH', `/companies/${companies[0]?.id}`, { parent_company_id: companies[6]?.id })
  for (let at = 0; at < 7; at++) {
    const text = TEXTS[at + 7] as string
    contacts.push(
      await send('POST', '/contacts', {
        first_name: text,
        last_name: TEXTS[at],
        emails: [
          { email: `b${at}@Example.com`, label: 'home' },
          { email: `A|${at}@example.com`, label: 'other', is_primary: true },
        ],
        phones: [{ number: '+49 30 1234' }, { number: '030/12; 3', label: 'home', is_primary: true }],
        job_title: text,
        company_id: companies[at]?.id,
        linkedin_url: 'https://linkedin.example/y',
        website: 'https://example.com/ü',
        address: { ...address, line2: null },
        timezone: 'Europe/Berlin',
        language: 'pt-BR',
        do_not_contact: at % 2 === 0,
        source: text,
        external_id: text,
        originally_created_at: '1999-12-31T23:59:59.999Z',
        custom_fields: values(at),
        ...tags,
      }),
    )
  }
  for (let at = 0; at < 7; at++) {
    deals.push(
      await send('POST', '/deals', {
        title: `x ${TEXTS[at]}`,
        amount: [0, 0.000001, 123456789.123456, 9_000_000_000_000, 1.234, 25000, null][at],
        currency: 'JPY',
        company_id: companies[at]?.id,
        primary_contact_id: contacts[at]?.id,
        expected_close_date: '0001-01-01',
        external_id: TEXTS[at],
        originally_created_at: '0001-01-01T00:00:00.000Z',
        custom_fields: values(at),
        ...tags,
      }),
    )
  }
  await send('PATCH', `/deals/${deals[0]?.id}`, { stage: org.stages.proposal })
  await send('POST', `/deals/${deals[1]?.id}/close`, { reason_id: org.reasons.lost })
  const links = {
    contact_ids: [contacts[1]?.id, contacts[0]?.id],
    company_ids: [companies[0]?.id],
    deal_ids: [deals[0]?.id],
  }
  const meetings: Body[] = []
  for (const [at, body] of TEXTS.entries()) {
    const meeting = await send('POST', '/meetings', {
      title: `x ${body}`,
      description: body,
      starts_at: '2026-01-01T00:00:00.123Z',
      ends_at: '2026-01-01T01:00:00Z',
      timezone: 'Asia/Kathmandu',
      status: 'completed',
      location: body,
      conference_url: 'https://meet.example/ü?a=1',
      participants: [
        { contact_id: contacts[0]?.id, name: body, role: 'organizer' },
        { contact_id: contacts[6]?.id },
        { member_id: org.owner, response: 'accepted' },
        { email: 'stranger@meet.example', name: body },
      ],
      company_id: companies[0]?.id,
      deal_id: deals[0]?.id,
      owner_id: org.owner,
      ical_uid: `${body.trim()}${at}`,
      recording_url: 'https://meet.example/recording',
      summary: body,
    })
    meetings.push(meeting)
  }
  await send('POST', '/notes', { body: 'x', meeting_id: meetings[0]?.id })
  for (const [at, body_text] of TEXTS.entries()) {
    // Without sent_at a mail has failed: there is no mailbox as yet.
    const mail = { channel: 'email', direction: 'outbound', subject: `x ${body_text}`, body_text }
    const attachments = [{ name: `x${at}.txt`, data: Buffer.from(body_text).toString('base64') }]
    await send('POST', '/messages', { ...mail, contact_id: contacts[0]?.id, external_id: `<${at}@x>`, attachments })
  }
  await fillMail(server, org, TEXTS, contacts[1]?.id as string)
  for (const body of TEXTS) await send('POST', '/notes', { title: body.trim(), body, is_pinned: true, ...links })
  for (const body of TEXTS) {
    const task = await send('POST', '/tasks', {
      title: `x ${body}`,
      body,
      due_at: '2026-01-01T00:00:00.000Z',
      ...links,
    })
    if (body.startsWith('=')) await send('PATCH', `/tasks/${task.id}`, { status: 'done' })
  }
  for (const [object, all] of [
    ['contact', contacts],
    ['company', companies],
    ['deal', deals],
  ] as const) {
    const list = await send('POST', '/lists', {
      name: `=${object}`,
      object,
      kind: 'static',
      description: 'x',
      owner_id: org.owner,
    })
    await send('POST', `/lists/${list.id}/members`, { add_ids: all.slice(0, 5).map(({ id }) => id) })
    const filter = {
      any: [
        { field: 'created_at', op: 'in_last_days', value: 5 },
        { field: 'custom_fields.its_number', op: 'gt', value: -2 },
      ],
    }
    await send('POST', '/lists', { name: `Smart ${object}`, object, kind: 'smart', filter })
  }
  const replies = savedReplyStore(server.deps)
  for (const is_shared of [true, false])
    store.transaction(() =>
      replies.create({ org: org.org, member: org.owner }, { title: '=Thanks', text: TEXTS.join('\n'), is_shared }),
    )
  const hooks = { url: 'https://hooks.example/ü?a=1', event_types: ['*', 'deal.*'], description: '=x' }
  const hook = await send('POST', '/webhooks', hooks)
  await send('POST', `/webhooks/${hook.id}/test`)
  await send('POST', '/webhooks', { ...hooks, status: 'disabled' })
  // What was there, and is not any more.
  await send('DELETE', `/contacts/${contacts[6]?.id}`)
  await send('DELETE', `/companies/${companies[5]?.id}`)
  const fields = await send('GET', '/custom-fields?limit=100')
  for (const { id, key } of fields.data as { id: string; key: string }[]) {
    if (key.startsWith('old_')) await send('PATCH', `/custom-fields/${id}`, { is_archived: true })
  }
  await importAndUndo(server, org)
  const merges = mergeStore(server.deps)
  const who = { org: org.org, member: org.owner }
  const [stays, goes] = [companies[1]?.id, companies[2]?.id] as [string, string]
  store.transaction(() => merges.merge(who, 'company', stays, goes))
  const { id: merge } = store.transaction(() =>
    merges.merge(who, 'contact', contacts[3]?.id as string, contacts[4]?.id as string),
  )
  store.transaction(() => merges.undo(who, merge))
}

/** One import stays, with a rejected row, and another is taken back. */
async function importAndUndo({ store }: TestServer, { org }: Org): Promise<void> {
  const { folder, drop } = scratch()
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const stays = write(
    'stays.csv',
    'First name,Email,Phone,ID\n=Ina,ina@import.example,,5\nEva,eva@import.example,n,\n,also none,,\n',
  )
  const goes = write('goes.csv', 'First name,Email,Job title\nIna,ina@import.example,Chief\nUdo,udo@import.example,\n')
  await importFile(store, { org, object: 'contact', file: stays, product: 'HubSpot', rules: { lenient: true } })
  const { id } = await importFile(store, { org, object: 'contact', file: goes, match: 'email' })
  await undoImport(store, { org, id })
  drop()
}
