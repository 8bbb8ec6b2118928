import assert from 'node:assert/strict'
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { version } from '../../src/assets.ts'
import { SCOPES } from '../../src/auth/scopes.ts'
import { parseLifetime } from '../../src/command/lifetime.ts'
import { SCHEMA_VERSION } from '../../src/store/schema/migrations.ts'
import { cli, cliJson, temporaryFolder } from './command-line.ts'

const folder = temporaryFolder()
const data = join(folder, 'one') // with one organisation
const several = join(folder, 'several')
const ana = 'ana@acme.example'
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/
let acme: { org_id: string; member_id: string }
let birch: typeof acme

before(async () => {
  acme = await cliJson('init', '--data', data, '--org', 'Acme', '--email', ana, '--name', 'Ana')
  await cliJson('init', '--data', several, '--org', 'Acme', '--email', ana)
  birch = await cliJson('init', '--data', several, '--org', 'Birch', '--email', ana, '--bare', '--currency', 'USD')
})

/** The one line that a command which has to fail says. */
async function refusal(code: number, ...argv: string[]): Promise<string> {
  const ended = await cli(argv)
  assert.equal(ended.code, code, ended.err)
  assert.equal(ended.out, '')
  return ended.err
}

describe('init', () => {
  test('makes the data folder, private, with a database and all keys', async () => {
    assert.deepEqual(Object.keys(acme), ['org_id', 'member_id'])
    assert.match(acme.org_id, UUID)
    assert.match(acme.member_id, UUID)
    assert.ok(existsSync(join(data, 'dealbox.db')))
    assert.equal(statSync(data).mode & 0o777, 0o700)
    const keys = await cliJson('keys', 'list', '--data', data)
    assert.equal(keys.length, 1)
    assert.deepEqual(readdirSync(join(data, 'keys')).sort(), [`${keys[0].kid}.pem`, 'cursor.key', 'secrets.key'].sort())
  })

  test('makes the owner and the usual settings', async () => {
    const { org, members, pipelines, close_reasons, hours } = await cliJson('settings', 'show', '--data', data)
    assert.equal(org.name, 'Acme')
    assert.equal(org.currency, 'EUR')
    assert.deepEqual(members, [{ email: ana, name: 'Ana', role: 'owner', timezone: org.timezone }])
    assert.equal(pipelines[0].stages.length, 6)
    assert.equal(close_reasons.length, 9)
    assert.deepEqual([hours[0].key, hours[0].timezone, hours[0].is_default], ['office', org.timezone, true])
  })

  test('leaves out pipelines, close reasons and hours with --bare, and adds an organisation to a folder that has one', async () => {
    const { org, members, pipelines, close_reasons, hours } = await cliJson(
      'settings',
      'show',
      '--data',
      several,
      '--org',
      birch.org_id,
    )
    assert.deepEqual([org.name, org.currency], ['Birch', 'USD'])
    assert.equal(members[0].name, 'ana')
    assert.deepEqual([pipelines, close_reasons, hours], [[], [], []])
    assert.equal((await cliJson('keys', 'list', '--data', several)).length, 1)
  })

  test('makes nothing where what is given is not valid', async () => {
    const nowhere = join(folder, 'nowhere')
    assert.match(await refusal(1, 'init', '--data', nowhere, '--org', 'X', '--email', 'x'), /must be an email address/)
    assert.match(
      await refusal(1, 'init', '--data', nowhere, '--org', 'X', '--email', ana, '--currency', 'eur'),
      /currency code/,
    )
    assert.match(await refusal(2, 'init', '--data', nowhere, '--org', 'X'), /--email EMAIL is missing/)
    assert.ok(!existsSync(nowhere))
  })
})

describe('--org', () => {
  test('has to be given where the folder holds several organisations, and the error lists them', async () => {
    const err = await refusal(2, 'settings', 'show', '--data', several)
    assert.match(err, /several organisations\. Choose one with --org: [0-9a-f-]{36} \(Acme\), [0-9a-f-]{36} \(Birch\)/)
  })

  test('has to name an organisation of the folder', async () => {
    const err = await refusal(1, 'settings', 'show', '--data', several, '--org', acme.org_id)
    assert.match(err, /There is no organisation .* here\. Use one of .* \(Acme\), .* \(Birch\)/)
  })

  test('or the data folder may be missing', async () => {
    assert.match(await refusal(1, 'member', 'list', '--data', join(folder, 'none')), /Create one with "dealbox init"/)
  })
})

describe('settings', () => {
  const file = join(folder, 'settings.json')

  test('show prints the same document for people and for programs', async () => {
    const { out } = await cli(['settings', 'show', '--data', data])
    assert.match(out, /^\{\n {2}"org": \{\n/)
    assert.deepEqual(JSON.parse(out), await cliJson('settings', 'show', '--data', data))
  })

  test('apply says what changed, in a dry run what would, and then nothing', async () => {
    const document = await cliJson('settings', 'show', '--data', data)
    document.org.currency = 'CHF'
    document.members.push({ email: 'Bo@acme.example', name: 'Bo', role: 'member', timezone: 'UTC' })
    writeFileSync(file, JSON.stringify(document))
    const apply = ['settings', 'apply', file, '--data', data]
    const dry = await cli([...apply, '--dry-run'])
    const lines = `  updated org ${acme.org_id}: currency "EUR" → "CHF"
  created members bo@acme.example: name "Bo", role "member", status "active", timezone "UTC"
`
    assert.equal(dry.out, `Would change:\n${lines}`)
    assert.equal((await cli(apply)).out, `Changed:\n${lines}`)
    assert.equal((await cli(apply)).out, 'Nothing changed.\n')
    assert.equal((await cli([...apply, '--dry-run'])).out, 'Nothing would change.\n')
    assert.deepEqual(await cliJson(...apply), { changed: [], warnings: [] })
    document.members.pop()
    writeFileSync(file, JSON.stringify({ members: document.members }))
    assert.equal((await cli(apply)).out, 'Changed:\n  removed members bo@acme.example\n')
  })

  test('apply refuses what it cannot read, with the name of the file', async () => {
    const apply = () => refusal(1, 'settings', 'apply', file, '--data', data)
    writeFileSync(file, '{"org": ')
    assert.match(await apply(), /settings\.json is not valid JSON/)
    writeFileSync(file, '{"members": [], "members": []}')
    assert.match(await apply(), /settings\.json contains an object with a duplicate member/)
    writeFileSync(file, '[]')
    assert.match(await apply(), /A settings document must be a JSON object with some of org, members/)
    writeFileSync(file, '{"mailbox": []}')
    assert.match(await apply(), /^\/mailbox is not a section of the settings; sections are org, members/)
    assert.match(await refusal(1, 'settings', 'apply', `${file}.not`, '--data', data), /cannot be read: ENOENT/)
  })
})

describe('member', () => {
  const member = (...argv: string[]) => cliJson('member', ...argv, '--data', data)

  test('add, set, deactivate and activate answer the member, and list shows all', async () => {
    const cy = await member('add', 'Cy@acme.example', '--name', 'Cy', '--timezone', 'Europe/Oslo')
    assert.match(cy.id, UUID)
    const { id, created_at, updated_at, version, ...shown } = cy
    assert.deepEqual(shown, {
      name: 'Cy',
      email: 'cy@acme.example',
      role: 'member',
      status: 'active',
      timezone: 'Europe/Oslo',
    })
    const changed = await member('set', 'CY@acme.example', '--role', 'admin', '--name', 'Cy D.')
    assert.deepEqual([changed.id, changed.role, changed.name, changed.version], [id, 'admin', 'Cy D.', 2])
    assert.equal((await member('set', 'cy@acme.example', '--role', 'admin')).version, 2)
    assert.equal((await member('deactivate', 'cy@acme.example')).status, 'deactivated')
    assert.deepEqual(
      (await member('list')).map(({ email, status }: Record<string, string>) => `${email} ${status}`),
      [`${ana} active`, 'cy@acme.example deactivated'],
    )
    assert.match((await cli(['member', 'list', '--data', data])).out, /^EMAIL .*\nana@.*owner .*active/)
    const { out } = await cli(['member', 'activate', 'cy@acme.example', '--data', data])
    assert.equal(out, 'Cy D. <cy@acme.example>: admin, active, Europe/Oslo\n')
  })

  test('refuses a second member of one email, an unknown one, a wrong role, and to lose the last owner', async () => {
    const refused = (...argv: string[]) => refusal(1, 'member', ...argv, '--data', data)
    assert.match(await refused('add', 'ANA@acme.example'), /There is already a member ana@acme\.example/)
    assert.match(await refused('set', 'no@acme.example', '--role', 'admin'), /There is no member no@acme\.example/)
    assert.match(await refused('set', ana, '--role', 'boss'), /role must be one of "owner"/)
    assert.match(
      await refused('set', ana, '--role', 'admin'),
      /At least one owner must stay active. Make another member an owner first/,
    )
    assert.match(
      await refused('deactivate', ana),
      /At least one owner must stay active. Make another member an owner first/,
    )
    assert.match(await refusal(2, 'member', 'set', ana, '--data', data), /Use at least one of --name/)
    assert.equal((await member('list'))[0].status, 'active')
  })
})

describe('token', () => {
  test('create answers the token once; list and revoke do not know it', async () => {
    const created = await cliJson('token', 'create', '--data', data, '--email', ana, '--scope', 'all')
    assert.deepEqual(Object.keys(created), ['id', 'token', 'scopes', 'expires_at'])
    assert.match(created.token, /^v4\.public\./)
    assert.deepEqual(created.scopes, SCOPES)
    const days = (Date.parse(created.expires_at) - Date.now()) / 86_400_000
    assert.ok(days > 89.9 && days <= 90, `${days} days`)
    const list = await cli(['token', 'list', '--data', data, '--json'])
    assert.deepEqual(JSON.parse(list.out)[0].revoked_at, null)
    assert.equal(JSON.parse(list.out)[0].id, created.id)
    assert.doesNotMatch(list.out, /v4\.public/)
    assert.deepEqual(await cliJson('token', 'revoke', created.id, '--data', data), { id: created.id })
    const text = await cli(['token', 'list', '--data', data])
    assert.match(text.out, new RegExp(`${created.id} +${ana} +revoked `))
    assert.match(await refusal(1, 'token', 'revoke', acme.org_id, '--data', data), /There is no token/)
  })

  test('list says how much time is left in the last 14 days', async () => {
    for (const [time, state] of [
      ['15d', /^expires [^ ,]+$/],
      ['10d', /^expires \S+, in 10 days$/],
      ['30h', /^expires \S+, in 30 hours$/],
      ['1h', /^expires \S+, in 1 hour$/],
    ] as const) {
      const made = [
        'token',
        'create',
        '--data',
        data,
        '--email',
        ana,
        '--scope',
        'rest.crm.tags.read',
        '--expires',
        time,
      ]
      const { id } = await cliJson(...made)
      const { out } = await cli(['token', 'list', '--data', data])
      const line = out.split('\n').find((each) => each.startsWith(id)) ?? ''
      assert.match(line.replace(new RegExp(`^${id} +${ana} +| +rest.crm.tags.read$`, 'g'), ''), state)
    }
  })

  test('create prints the token alone on stdout, and the rest on stderr', async () => {
    const { out, err } = await cli([
      ...['token', 'create', '--data', data, '--email', 'ANA@acme.example'],
      ...['--scope', 'rest.crm.deals.read,rest.crm.tags.write', '--expires', 'never'],
    ])
    assert.match(out, /^v4\.public\.[^\s]+\n$/)
    assert.match(err, /shown only once\. It never expires/)
    const [token] = await cliJson('token', 'list', '--data', data)
    assert.deepEqual(token.scopes, ['rest.crm.deals.read', 'rest.crm.tags.write'])
    assert.equal(token.expires_at, null)
  })

  test('create refuses unknown scopes, members and times', async () => {
    const create = (code: number, email: string, scope: string, ...more: string[]) =>
      refusal(code, 'token', 'create', '--data', data, '--email', email, '--scope', scope, ...more)
    assert.match(await create(1, ana, 'crm.deals'), /There is no scope "crm\.deals"\. Use all, or one or more of/)
    assert.match(await create(1, 'no@acme.example', 'all'), /There is no member/)
    assert.match(
      await create(2, ana, 'all', '--expires', '90'),
      /--expires 90 is not a valid duration\. Use days such as 90d/,
    )
  })

  test('the time that a token lasts is read in days and hours', () => {
    assert.equal(parseLifetime('--expires', '90d'), 90 * 86_400_000)
    assert.equal(parseLifetime('--expires', '12h'), 12 * 3_600_000)
    assert.equal(parseLifetime('--expires', 'never'), null)
    for (const text of ['', '0d', '1.5d', '-1d', '10m', '10000d', 'd', '1d ']) {
      assert.throws(() => parseLifetime('--expires', text), { code: 'usage' }, text)
    }
  })
})

test('keys rotate adds a key, and retire ends one but not the last', async () => {
  const [first] = await cliJson('keys', 'list', '--data', several)
  const { kid } = await cliJson('keys', 'rotate', '--data', several)
  assert.match(await refusal(1, 'keys', 'retire', 'nothing', '--data', several), /There is no key nothing/)
  assert.deepEqual(await cliJson('keys', 'retire', first.kid, '--data', several), { kid: first.kid })
  const keys: Record<string, string | null>[] = await cliJson('keys', 'list', '--data', several)
  assert.deepEqual(
    keys.filter(({ retired_at }) => retired_at === null).map((key) => key.kid),
    [kid],
  )
  assert.deepEqual(
    readdirSync(join(several, 'keys')).filter((name) => name.endsWith('.pem')),
    [`${kid}.pem`],
  )
  assert.match(await refusal(1, 'keys', 'retire', kid, '--data', several), /the only active key/)
  const { out } = await cli(['keys', 'list', '--data', several])
  assert.match(out, /in use/)
  assert.match(out, new RegExp(`${first.kid} .* retired `))
  assert.doesNotMatch(out, /PRIVATE/)
})

test('version names what Dealbox is made of', async () => {
  const answer = await cliJson('version')
  assert.deepEqual(Object.keys(answer), ['version', 'node', 'sqlite', 'schema'])
  assert.equal(answer.version, version)
  assert.equal(answer.node, process.versions.node)
  assert.match(answer.sqlite, /^3\.\d+\.\d+$/)
  assert.equal(answer.schema, SCHEMA_VERSION)
  assert.match((await cli(['version'])).out, /^Dealbox \d+\.\d+\.\d+ \(Node .*, SQLite .*, schema \d+\)\n$/)
})

test('openapi prints the document without a data folder', async () => {
  const { out } = await cli(['openapi', '--data', join(folder, 'none')])
  const document = JSON.parse(out)
  assert.match(document.openapi, /^3\.1\./)
  assert.equal(document.info.version, version)
  assert.deepEqual(await cliJson('openapi'), document)
})

test('openapi prints 3.0 for tools that know no 3.1', async () => {
  const document = await cliJson('openapi', '--3.0')
  assert.match(document.openapi, /^3\.0\./)
  assert.equal(document.webhooks, undefined)
  const { out } = await cli(['openapi'], { DEALBOX_3_0: 'true' })
  assert.deepEqual(JSON.parse(out), document)
})

test('openapi names the server that clients reach', async () => {
  const server = async (...argv: string[]) => (await cliJson('openapi', ...argv)).servers[0].url
  assert.equal(await server(), 'http://127.0.0.1:8080/api/v1')
  assert.equal(await server('--api-listen', '0.0.0.0:9000'), 'http://localhost:9000/api/v1')
  assert.equal(await server('--api-listen', '[::1]:9000'), 'http://[::1]:9000/api/v1')
  assert.equal(await server('--public-url', 'https://crm.example/'), 'https://crm.example/api/v1')
  assert.equal(await server('--public-url', 'https://crm.example/box'), 'https://crm.example/box/api/v1')
  assert.match(await refusal(2, 'openapi', '--api-listen', '127.0.0.1:0'), /needs an address/)
  for (const url of [
    'crm.example',
    'ftp://crm.example',
    'https://a:b@crm.example',
    'https://crm.example/api/v1',
    'https://x/?a',
  ])
    assert.match(await refusal(2, 'openapi', '--public-url', url), /is not the address of a server/, url)
})

test('healthcheck succeeds only where the server says that it is ready', async (t) => {
  let [status, body] = [200, '']
  const server = createServer((req, res) => {
    res.statusCode = req.url === '/readyz' ? status : 404
    res.end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve))
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  const check = ['healthcheck', '--screens-listen', `127.0.0.1:${port}`]
  assert.deepEqual(await cliJson(...check), { ready: true })
  assert.equal((await cli(['healthcheck'], { DEALBOX_SCREENS_LISTEN: `0.0.0.0:${port}` })).code, 0)
  status = 503
  assert.match(await refusal(1, ...check), /is not ready: it responded with 503\.$/m)
  body = '{"detail":"The disk is full."}'
  assert.match(await refusal(1, ...check), /it responded with 503\. The disk is full\.$/m)
  server.close()
  server.closeAllConnections()
  assert.match(await refusal(1, ...check), /No server responds at 127\.0\.0\.1/)
  assert.match(await refusal(2, 'healthcheck', '--screens-listen', 'off'), /no server to check/)
})
