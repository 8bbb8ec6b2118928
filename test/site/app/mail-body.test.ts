import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type AppServer, type Person, startApp } from '../../support/app-data.ts'
import { inboxOf } from '../../support/inbox.ts'
import { UNKNOWN } from '../../support/records.ts'

// The document in which a mail is shown.

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

let app: AppServer
let inbox: ReturnType<typeof inboxOf>
before(async () => {
  app = await startApp()
  inbox = inboxOf(app)
})
after(() => app.stop())

const shown = (id: string, query = '', person: Person = 'viewer') =>
  app.ask(person, 'GET', `/mail-body?message=${id}${query}`)
const mailOf = async (body_html: string, given: Record<string, unknown> = {}): Promise<string> =>
  (await inbox.say('inbound', undefined, { body_text: null, body_html, ...given })).id

test('a mail stands in a document in which nothing runs and which loads nothing from elsewhere', async () => {
  const id = await mailOf('<p onclick="x()">Hi</p><script>x()</script><form action="/app/logout"><input></form>')
  const { status, headers, text } = await shown(id)
  assert.equal(status, 200)
  assert.match(text, /<body><p>Hi<\/p><\/body>/)
  assert.equal(headers.get('content-type'), 'text/html; charset=utf-8')
  assert.equal(headers.get('x-frame-options'), 'SAMEORIGIN')
  assert.equal(headers.get('referrer-policy'), 'no-referrer')
  const policy = headers.get('content-security-policy') as string
  assert.match(policy, /^default-src 'none'; style-src 'unsafe-inline'; img-src data: [^ ;]+; base-uri 'none';/)
  assert.match(policy, /; sandbox allow-same-origin allow-popups allow-popups-to-escape-sandbox$/)
  assert.doesNotMatch(policy, /script|allow-scripts|allow-forms|allow-top/)
})

test('pictures from elsewhere are held until they are asked for', async () => {
  const id = await mailOf(
    '<img src="https://track.example/a.png?x=1&amp;y=2" alt="Logo"><img src="http://b.example/b.png">',
  )
  const held = await shown(id)
  assert.doesNotMatch(held.text, /<img|https?:/)
  assert.match(held.text, /<span class="held">track\.example<\/span><span class="held">b\.example<\/span>/)
  const loaded = await shown(id, '&images=1')
  assert.match(loaded.text, /<img src="https:\/\/track\.example\/a\.png\?x=1&amp;y=2" alt="Logo"/)
  assert.match(loaded.headers.get('content-security-policy') as string, /img-src data: [^ ;]+ http: https:;/)
})

test('pictures in the text are the files of that mail, and no other address of this server is a picture', async () => {
  const file = { name: 'a.png', content_type: 'image/png', cid: 'logo@1', data: PIXEL }
  const id = await mailOf('<img src="cid:logo%401"><img src="cid:none">', { attachments: [file] })
  const { text, headers } = await shown(id)
  const url = /src="([^"]+)"/.exec(text)?.[1] as string
  assert.match(url, new RegExp(`^/api/v1/messages/${id}/attachments/[0-9a-f-]{36}$`))
  assert.equal((text.match(/<img/g) ?? []).length, 1)
  const picture = await app.people.viewer.call('GET', url)
  assert.deepEqual([picture.status, picture.headers.get('content-type')], [200, 'image/png'])
  const [, source = ''] = /img-src data: ([^ ;]+);/.exec(headers.get('content-security-policy') as string) ?? []
  assert.ok(source.endsWith(`/api/v1/messages/${id}/attachments/`), source)
})

test('a mail of another organisation, or none, is not found', async () => {
  const id = await mailOf('<p>Hi</p>')
  for (const answer of [await shown(id, '', 'stranger'), await shown(UNKNOWN), await shown('x')])
    assert.equal(answer.status, 404)
})

test('a link whose words name another page than it leads to says where it leads', async () => {
  const links = {
    'https://bank.example/login': 'https://evil.example/login',
    'www.bank.example': 'https://bank.example.evil.example/',
    'bank.com': 'https://xn--bnk-0na.com/',
    '<b>https://bank</b>.example': 'https://evil.example/?u=https://bank.example',
  }
  for (const [words, href] of Object.entries(links)) {
    const { text } = await shown(await mailOf(`<p><a href="${href}">${words}</a></p>`))
    assert.match(text, new RegExp(`</a><span class="leads">→ ${new URL(href).hostname}</span></p>`), words)
  }
  const plain = {
    'https://www.bank.example/login': 'https://bank.example/login',
    'Our offer': 'https://click.example/1',
    'eva@bank.example': 'https://bank.example',
    'report.pdf': 'https://files.example/report.pdf',
    'bank.example': 'mailto:eva@evil.example',
  }
  for (const [words, href] of Object.entries(plain)) {
    const { text } = await shown(await mailOf(`<p><a href="${href}">${words}</a></p>`))
    assert.doesNotMatch(text, /"leads"/, words)
  }
})

test('a picture and a PDF are shown by the browser, and any other file is only saved', async () => {
  const given = (name: string, content_type: string) => ({ name, content_type, data: PIXEL })
  const files = [
    given('a.png', 'image/PNG'),
    given('b.pdf', 'application/pdf'),
    given('c.svg', 'image/svg+xml'),
    given('d.html', 'text/html'),
    given('e.txt', 'text/plain'),
  ]
  const { id, attachments } = await inbox.say('inbound', undefined, { attachments: files })
  const show = (at: number, message = id, person: Person = 'viewer') =>
    app.ask(person, 'GET', `/shown-file?message=${message}&file=${attachments[at].id}`)
  const [picture, pdf] = [await show(0), await show(1)]
  assert.deepEqual([picture.status, picture.headers.get('content-type')], [200, 'image/png'])
  assert.equal(picture.headers.get('content-security-policy'), "default-src 'none'; sandbox")
  assert.equal(picture.headers.get('x-content-type-options'), 'nosniff')
  assert.match(picture.headers.get('content-disposition') as string, /^inline; filename="a\.png"/)
  assert.equal(picture.headers.get('content-length'), String(Buffer.from(PIXEL, 'base64').length))
  assert.deepEqual([pdf.status, pdf.headers.get('content-type')], [200, 'application/pdf'])
  assert.match(pdf.headers.get('content-security-policy') as string, /script-src 'none'; frame-ancestors 'none'/)
  for (const at of [2, 3, 4]) assert.equal((await show(at)).status, 404, String(files[at]?.name))
  const other = await inbox.say('inbound', undefined, { attachments: files })
  assert.equal((await show(0, other.id)).status, 404, 'a file of another message')
  assert.equal((await show(0, id, 'stranger')).status, 404)
  assert.equal((await app.ask('viewer', 'GET', `/shown-file?message=x&file=${attachments[0].id}`)).status, 404)
})
