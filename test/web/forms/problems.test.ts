import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, afterEach, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { ApiProblem } from '../../../src/web/data/api.ts'
import { de } from '../../../src/web/data/problems/de.ts'
import { en } from '../../../src/web/data/problems/en.ts'
import { explain } from '../../../src/web/data/problems/explain.ts'
import { matchPath } from '../../../src/web/lib/router/match.ts'
import { takeTextsFrom } from '../../../src/web/lib/texts/files.ts'
import { setLanguage } from '../../../src/web/lib/texts/texts.ts'
import { textFiles } from '../../../src/web/screens/texts/files.ts'
import { homes, screens } from '../../../src/web/screens.ts'
import { noBrowser } from '../../support/chromium.ts'
import { recordsOf } from '../../support/records.ts'
import { close, type Site, startSite } from '../shell/site.ts'

// What the server refuses is said in the member's language, by its codes; and what a page offers leads somewhere.

const root = join(import.meta.dirname, '../../..')

test('every code of a field that records can be refused for has words', () => {
  const files = globSync('src/{records,crm,cleanup,personal,lib,auth,site}/**/*.ts', { cwd: root }).filter(
    (file) => !/cleanup\/erasure|settings/.test(file),
  )
  const codes = new Set(
    files.flatMap((file) => {
      const text = readFileSync(join(root, file), 'utf8')
      const own = [
        ...text.matchAll(/['"`]([a-z_]+)\|(?:must|is|has)\b/g),
        ...text.matchAll(/\bfield\([^,()]*, '([a-z_]+)'/g),
      ]
      return own.map(([, code]) => code as string)
    }),
  )
  // Those of forms that only programs fill in.
  const others = [
    'invalid_base64',
    'invalid_cid',
    'invalid_media_type',
    'invalid_name',
    'invalid_key',
    'invalid_color',
    'second_default',
  ]
  const missing = [...codes].filter((code) => !(code in en.fields) && !others.includes(code))
  assert.deepEqual(missing, [])
})

test('both languages have words for the same codes', () => {
  assert.deepEqual(Object.keys(de.fields), Object.keys(en.fields))
  assert.deepEqual(Object.keys(de.problems), Object.keys(en.problems))
  assert.deepEqual(Object.keys(de.surroundings), Object.keys(en.surroundings))
})

test('a problem without words is said with its code or request, and never as the server says it', async () => {
  const raw = 'Send the header Foo.'
  const said = async (status: number, body: Record<string, unknown>) => {
    const problem = new ApiProblem(status, { detail: raw, ...body })
    await explain(problem)
    return [problem.message, ...problem.errors.map(({ message }) => message)]
  }
  assert.deepEqual(await said(400, { code: 'odd_code' }), ['The server does not take this (odd_code).'])
  assert.match((await said(500, { code: 'internal_error', request_id: 'r-1' })).join(), /request r-1/)
  const errors = [{ pointer: '/name', code: 'too_long', message: 'must be at most 255 characters long' }]
  assert.deepEqual(
    await said(422, { code: 'invalid_fields', errors }),
    Array(2).fill('This is too long: at most 255 fit'),
  )
  const odd = [...errors, { pointer: '/x', code: 'odd', message: raw }]
  assert.deepEqual(await said(422, { code: 'invalid_fields', errors: odd }), [
    '2 fields are not right.',
    'This is too long: at most 255 fit',
    'The server does not take this (odd).',
  ])
  // Who can change the surroundings of the server needs to know more, in their language too.
  const host = { code: 'unknown_host', host: 'crm.example' }
  const seen = { shown: 'https://crm.example', arrived: 'http://10.0.0.5:8081', proxy: '10.0.0.9' }
  const foreign = (cause: string) => said(403, { code: 'foreign_origin', cause, ...seen })
  assert.match((await said(421, host)).join(), /start it with --host crm\.example/)
  assert.match((await said(421, { code: 'unknown_host' })).join(), /leaves out the header Host/)
  assert.match((await foreign('untrusted_proxy')).join(), /--trust-proxy 10\.0\.0\.9/)
  for (const cause of ['name', 'scheme', 'port'])
    assert.match(
      (await foreign(cause)).join(),
      /the browser shows https:\/\/crm\.example, and .* http:\/\/10\.0\.0\.5:8081/,
    )
  assert.doesNotMatch((await said(403, { code: 'foreign_origin' })).join(), /Send the header Foo|undefined/)
  takeTextsFrom(textFiles)
  await setLanguage('de').catch(() => undefined) // there is no document to name the language of
  assert.deepEqual(await said(404, { code: 'not_found' }), ['Das gibt es nicht mehr.'])
  assert.match((await said(421, host)).join(), /starte ihn mit --host crm\.example/)
  assert.match((await foreign('name')).join(), /der Browser zeigt https:\/\/crm\.example/)
  await setLanguage('en').catch(() => undefined)
})

test('every address that the app names is one of a screen', () => {
  const paths = [...screens.map(({ path }) => path), ...Object.keys(homes), '/reference', '/setup', '/join', '/sign-in']
  const files = globSync('src/web/**/*.{ts,tsx}', { cwd: root })
  const named = files.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/(?:navigate|go|assign)\('(\/[^']*)'|href="(\/[^"]*)"/g)].map(
      ([, one, other]) => ({ file, to: (one ?? other ?? '').replace(/[?#].*/, '') }),
    ),
  )
  assert.ok(named.length > 8, `${named.length} addresses`)
  const lost = named.filter(({ to }) => !to.startsWith('/app/') && !paths.some((path) => matchPath(path, to)))
  assert.deepEqual(lost, [])
})

describe('in German', { skip: noBrowser }, () => {
  let site: Site
  const pages: Page[] = []
  const { newContact, newRecord } = recordsOf(() => site.server)
  before(async () => {
    site = await startSite()
  })
  afterEach(async () => {
    for (const page of pages.splice(0)) await close(page)
  })
  after(() => site?.stop())

  async function open(path: string): Promise<Page> {
    const member = await site.screens.signedIn('owner')
    await member.call('PATCH', '/app/preferences', { language: 'de' })
    const page = await site.open(path, member.cookie, { language: 'de-DE' })
    pages.push(page)
    return page
  }
  const ENGLISH = /\b(must|the|has|Another|is not|not be|There)\b/

  test('what the server refuses stands at its field and in messages, without a word of its English', async () => {
    const email = 'mira@okafor.example'
    const { id } = await newContact({ last_name: 'Okafor', emails: [{ email, label: 'work', is_primary: true }] })
    await newRecord('/tags', { name: 'Messe' })
    const page = await open('/contacts')
    await page.locator('.bar .btn.first').click()
    const dialog = page.locator('dialog')
    await dialog.locator('[data-field=email] input').fill(email)
    await dialog.locator('[data-field=name] input').fill('Mira')
    await dialog.locator('button[type=submit]').click()
    const said = dialog.locator('[role=alert], .help.late').first()
    await said.waitFor()
    assert.doesNotMatch(await said.innerText(), ENGLISH)
    assert.equal(await said.innerText(), 'So etwas gibt es schon.')

    await page.goto(`${site.url}/contacts/${id}`)
    await page.locator('.properties .whole').click()
    await page.getByRole('button', { name: 'Zeitzone bearbeiten' }).click()
    await page.keyboard.type('Mars/Base')
    await page.keyboard.press('Enter')
    await page.getByText('Wähl eine Zeitzone, etwa Europe/Berlin').first().waitFor()
    assert.doesNotMatch(await page.locator('main').innerText(), /must be/)
  })

  test('an empty board shows how files come in, and leads to no page that is not there', async () => {
    const page = await open('/deals')
    await page.getByRole('button', { name: 'CSV importieren' }).click()
    await page.getByRole('dialog').getByText('dealbox import deals deals.csv --dry-run').waitFor()
    assert.equal(new URL(page.url()).pathname, '/deals')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })
})
