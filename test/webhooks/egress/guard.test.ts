import assert from 'node:assert/strict'
import { networkInterfaces } from 'node:os'
import { test } from 'node:test'
import { parseAllow } from '../../../src/lib/net/allow.ts'
import { type Address, guard, type Lookup } from '../../../src/lib/net/guard.ts'

const PUBLIC = '93.184.216.34'

const addresses = (...texts: string[]): Address[] =>
  texts.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))

/** A guard whose resolver gives the answers in turn, the last one for ever, and whose clock is moved by hand. */
function setUp(answers: string[][], allow = '', ownPorts: number[] = []) {
  const asked: string[] = []
  let now = 0
  const lookup: Lookup = async (host) => {
    asked.push(host)
    return addresses(...(answers[Math.min(asked.length, answers.length) - 1] as string[]))
  }
  const built = guard({ allow: parseAllow(allow), ownPorts: () => ownPorts, lookup, now: () => now })
  return {
    ...built,
    asked,
    advance: (ms: number) => {
      now += ms
    },
  }
}

const REFUSED = { name: 'Error', status: 422, code: 'url_not_allowed' }

for (const [url, sentence] of [
  ['', 'This is not a URL. Use a form such as https://example.com/hooks.'],
  ['example.com/hooks', 'This is not a URL. Use a form such as https://example.com/hooks.'],
  ['http://', 'This is not a URL. Use a form such as https://example.com/hooks.'],
  ['http://256.1.1.1/', 'This is not a URL. Use a form such as https://example.com/hooks.'],
  ['http://[fe80::1%25eth0]/', 'This is not a URL. Use a form such as https://example.com/hooks.'],
  ['http://[fe80::1%eth0]/', 'This is not a URL. Use a form such as https://example.com/hooks.'],
  ['http://example.com:65536/', 'This is not a URL. Use a form such as https://example.com/hooks.'],
  ['ftp://example.com/', 'Webhooks support only http:// and https://, not ftp:'],
  ['file:///etc/passwd', 'Webhooks support only http:// and https://, not file:'],
  ['gopher://127.0.0.1/', 'Webhooks support only http:// and https://, not gopher:'],
  ['http://user@example.com/', 'The URL of a webhook must not contain a user name or a password.'],
  ['http://:secret@example.com/', 'The URL of a webhook must not contain a user name or a password.'],
  ['http://example..com/', 'The host "example..com" has an empty part.'],
  ['http://127.0.0.1../', 'The host "127.0.0.1.." has an empty part.'],
  ['http://./', 'The host "." has an empty part.'],
  ['http://10.0.0.1/', 'The address 10.0.0.1 is private; to allow it, use "dealbox serve --webhook-allow 10.0.0.1".'],
  [
    'http://2130706433/',
    'The address 127.0.0.1 is loopback; to allow it, use "dealbox serve --webhook-allow 127.0.0.1".',
  ],
  ['http://[::1]/', 'The address ::1 is loopback; to allow it, use "dealbox serve --webhook-allow ::1".'],
  ['http://[::7f00:1]/', 'The address ::7f00:1 is IPv4-compatible, an obsolete form that is never allowed.'],
  ['http://localhost/', 'The host localhost is loopback; to allow it, use "dealbox serve --webhook-allow localhost".'],
  ['http://ⓛocalhost./', 'The host localhost is loopback; to allow it, use "dealbox serve --webhook-allow localhost".'],
  [
    'http://a.LOCALHOST:81/',
    'The host a.localhost is loopback; to allow it, use "dealbox serve --webhook-allow 127.0.0.1".',
  ],
  [
    'http://localhost:9000/',
    'The host localhost is loopback; to allow it, use "dealbox serve --webhook-allow localhost:9000".',
  ],
  ['http://[::1]:9000/', 'The address ::1 is loopback; to allow it, use "dealbox serve --webhook-allow [::1]:9000".'],
] as const)
  test(`"${url}" is refused without asking anybody`, async () => {
    const { refusal, resolve, asked } = setUp([[PUBLIC]], '', [9000])
    assert.equal(refusal(url), sentence)
    await assert.rejects(resolve(url), { ...REFUSED, message: sentence })
    assert.deepEqual(asked, [])
  })

for (const [url, answer, sentence] of [
  [
    'http://hooks.lan/',
    '10.0.0.5',
    'The host hooks.lan has an address that is private; to allow it, use "dealbox serve --webhook-allow hooks.lan".',
  ],
  [
    'https://hooks.lan./',
    '::ffff:10.0.0.5',
    'The host hooks.lan has an address that is private; to allow it, use "dealbox serve --webhook-allow hooks.lan".',
  ],
  [
    'http://hooks.lan/',
    '169.254.169.254',
    'The host hooks.lan has an address that is link-local; to allow it, list that address in "dealbox serve --webhook-allow".',
  ],
  [
    'http://hooks.lan:9000/',
    '127.0.0.1',
    'The host hooks.lan has an address that is loopback; to allow it, list that address and port in "dealbox serve --webhook-allow".',
  ],
  ['http://hooks.lan/', 'fe80::1%eth0', 'The host hooks.lan has an address that webhooks cannot use.'],
  ['http://hooks.lan/', 'elsewhere', 'The host hooks.lan has an address that webhooks cannot use.'],
] as const)
  test(`${url} at ${answer} is refused, and the sentence names what would allow it`, async () => {
    const { refusal, resolve } = setUp([[answer]], '', [9000])
    assert.equal(refusal(url), undefined)
    await assert.rejects(resolve(url), { ...REFUSED, message: sentence })
    const [, remedy] = /--webhook-allow (\S+)"/.exec(sentence) ?? []
    if (remedy !== undefined) assert.equal((await setUp([[answer]], remedy, [9000]).resolve(url)).length, 1)
  })

test('one refused answer among many refuses them all', async () => {
  for (const answers of [
    [PUBLIC, '10.0.0.1'],
    ['10.0.0.1', PUBLIC],
    [PUBLIC, '2606:4700::1', '::1'],
    [PUBLIC, '1.1.1.1', '8.8.8.8', '::ffff:7f00:1'],
  ])
    await assert.rejects(setUp([answers]).resolve('http://hooks.example/'), REFUSED)
})

test('all public answers are given, each in its one form', async () => {
  const { resolve } = setUp([[PUBLIC, '2606:4700:0::1', '::ffff:1.1.1.1']])
  assert.deepEqual(await resolve('http://hooks.example/'), addresses(PUBLIC, '2606:4700::1', '1.1.1.1'))
})

test('a name that is first public and then private is refused as soon as its answer is too old', async () => {
  const { resolve, asked, advance } = setUp([[PUBLIC], ['127.0.0.1']])
  assert.deepEqual(await resolve('http://rebind.example/'), addresses(PUBLIC))
  advance(9_999)
  assert.deepEqual(await resolve('https://REBIND.example.:8443/x'), addresses(PUBLIC))
  assert.deepEqual(asked, ['rebind.example'])
  advance(1)
  await assert.rejects(resolve('http://rebind.example/'), REFUSED)
  assert.equal(asked.length, 2)
})

test('a clock that goes back makes no answer live longer', async () => {
  const { resolve, asked, advance } = setUp([[PUBLIC]])
  await resolve('http://hooks.example/')
  advance(-60_000)
  await resolve('http://hooks.example/')
  assert.equal(asked.length, 2)
})

test('what is kept is the answer, not the verdict: another port is checked anew', async () => {
  const { resolve, asked } = setUp([['10.0.0.5']], '10.0.0.5:8080')
  await resolve('http://hooks.example:8080/')
  await assert.rejects(resolve('http://hooks.example/'), REFUSED)
  assert.equal(asked.length, 1)
})

test('all who ask at once share one question', async () => {
  const asked: string[] = []
  const answer = Promise.withResolvers<Address[]>()
  const lookup: Lookup = (host) => {
    asked.push(host)
    return answer.promise
  }
  const { resolve } = guard({ allow: [], ownPorts: () => [], lookup })
  const many = Array.from({ length: 20 }, (_, index) => resolve(`http://slow.example:${index + 1}/`))
  const other = resolve('http://other.example/')
  answer.resolve(addresses(PUBLIC))
  assert.equal((await Promise.all([...many, other])).length, 21)
  assert.deepEqual(asked, ['slow.example', 'other.example'])
})

test('an error of the resolver is passed on to all who wait, and not kept', async () => {
  let asked = 0
  const lookup: Lookup = async () => {
    asked += 1
    if (asked === 1) throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' })
    return addresses(PUBLIC)
  }
  const { resolve } = guard({ allow: [], ownPorts: () => [], lookup })
  const results = await Promise.allSettled([resolve('http://new.example/'), resolve('http://new.example/')])
  for (const result of results) assert.equal(result.status === 'rejected' && result.reason.code, 'ENOTFOUND')
  assert.deepEqual(await resolve('http://new.example/'), addresses(PUBLIC))
  assert.equal(asked, 2)
})

test('no answer at all is no address', async () => {
  await assert.rejects(setUp([[]]).resolve('http://empty.example/'), { code: 'ENOTFOUND' })
})

test('answers to some hosts only are kept', async () => {
  const { resolve, asked } = setUp([[PUBLIC]])
  for (let index = 0; index < 1001; index++) await resolve(`http://h${index}.example/`)
  await resolve('http://h1000.example/')
  assert.equal(asked.length, 1001)
  await resolve('http://h0.example/')
  assert.equal(asked.length, 1002)
})

test('our own port is refused at every address of this machine, and other ports of it are not', async (t) => {
  const own = Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .filter(({ address, internal }) => !internal && !address.startsWith('fe80'))
  if (own.length === 0) return t.skip('this machine has no address beside loopback')
  for (const { address, family } of own) {
    const host = family === 'IPv6' ? `[${address}]` : address
    const listed = setUp([[address]], address, [9000])
    assert.equal(listed.refusal(`http://${host}:9001/`), undefined)
    assert.equal(
      listed.refusal(`http://${host}:9000/`),
      `The address ${address} is this server itself on port 9000; to allow it, use "dealbox serve --webhook-allow ${host}:9000".`,
    )
    await assert.rejects(listed.resolve('http://hooks.example:9000/'), REFUSED)
    assert.equal(setUp([], `${host}:9000`, [9000]).refusal(`http://${host}:9000/`), undefined)
    const byName = setUp([[address]], 'hooks.example:9000', [9000])
    assert.equal((await byName.resolve('http://hooks.example:9000/')).length, 1)
  }
})

test('ports are those of now', () => {
  const ports: number[] = []
  const { refusal } = guard({ allow: parseAllow('127.0.0.1'), ownPorts: () => ports })
  assert.equal(refusal('http://127.0.0.1/'), undefined)
  ports.push(80)
  assert.match(refusal('http://127.0.0.1/') ?? '', /is this server itself on port 80/)
  assert.equal(refusal('https://127.0.0.1/'), undefined)
})
