import assert from 'node:assert/strict'
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, randomUUID } from 'node:crypto'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { PublicProtocol } from 'paseto'
import { SecretKeyFromCryptoKey, SignFactory, VerifyFactory } from 'paseto/v4/public'
import { cursorSecret, keyring } from '../../src/auth/keys.ts'
import { tokens } from '../../src/auth/tokens.ts'
import { openStore } from '../../src/store/open.ts'
import { startServer, type TestServer } from '../support/server.ts'

let server: TestServer
let folder: string
before(async () => {
  server = await startServer()
  folder = join(server.dataDir, 'keys')
})
after(() => server.stop())

describe('the key files', () => {
  test('are readable by their owner only', {
    skip: process.platform === 'win32' && 'Windows has no file modes',
  }, () => {
    const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)
    assert.equal(modeOf(folder), '700')
    const files = readdirSync(folder)
    assert.ok(files.includes('cursor.key') && files.some((name) => name.endsWith('.pem')))
    for (const name of files) assert.equal(modeOf(join(folder, name)), '600', name)
  })

  test('are nowhere in the database', async () => {
    keyring(server.dataDir, server.store).rotate()
    await server.call('POST', '/deals', { title: 'x' })
    const files = readdirSync(server.dataDir).filter((name) => name.startsWith('dealbox.db'))
    const stored = Buffer.concat(files.map((name) => readFileSync(join(server.dataDir, name))))
    assert.ok(stored.includes('signing_keys') && stored.includes('Acme'))
    for (const secret of secretsOf(folder)) assert.ok(!stored.includes(secret))
    assert.ok(!stored.includes(server.a.token.slice(10, 60)), 'nor is a token')
  })

  test('outlive a restart, as does the secret of the cursors', () => {
    assert.deepEqual(cursorSecret(server.dataDir), cursorSecret(server.dataDir))
    assert.equal(cursorSecret(server.dataDir).length, 32)
  })
})

function secretsOf(keys: string): (Buffer | string)[] {
  return readdirSync(keys).flatMap((name) => {
    const file = readFileSync(join(keys, name))
    if (!name.endsWith('.pem')) return [file, file.toString('hex'), file.toString('base64')]
    const seed = Buffer.from(createPrivateKey(file).export({ format: 'jwk' }).d as string, 'base64url')
    return [seed, seed.toString('hex'), seed.toString('base64'), seed.toString('base64url'), file]
  })
}

describe('rotation', () => {
  test('makes the newest key sign, and keeps the older ones', async () => {
    const keys = keyring(server.dataDir, server.store)
    const before = keys.list().length
    server.advance(1)
    const kid = keys.rotate()
    assert.equal(keys.list().length, before + 1)
    assert.equal((await keys.signing()).kid, kid)
    assert.ok(existsSync(join(folder, `${kid}.pem`)))
  })

  test('retires a key with its file, but never the last, and none that is not there', () => {
    const keys = keyring(server.dataDir, server.store)
    server.advance(1)
    const kid = keys.rotate()
    for (const key of keys.list().filter((each) => each.kid !== kid)) {
      keys.retire(key.kid)
      keys.removeFile(key.kid)
    }
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.endsWith('.pem')),
      [`${kid}.pem`],
    )
    assert.throws(() => keys.retire(kid), { status: 409, code: 'last_key' })
    assert.ok(existsSync(join(folder, `${kid}.pem`)))
    assert.throws(() => keys.retire('0123456789abcdef'), { status: 404, code: 'no_such_key' })
  })

  test('a key whose file is missing makes no token, and verifies none', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'dealbox-keys-'))
    cpSync(server.dataDir, dataDir, { recursive: true })
    const store = openStore(dataDir)
    const keys = keyring(dataDir, store)
    const made = tokens(keys, store)
    const token = await made.create(server.a.org, 'ana@acme.example', [], null)
    for (const { kid } of keys.list()) rmSync(join(dataDir, 'keys', `${kid}.pem`), { force: true })
    const afterwards = tokens(keyring(dataDir, store), store)
    await assert.rejects(afterwards.create(server.a.org, 'ana@acme.example', [], null), { code: 'key_missing' })
    assert.equal(await afterwards.verify(token.token), undefined)
    store.close()
    rmSync(dataDir, { recursive: true })
  })
})

describe('a token is refused', () => {
  const v4 = new PublicProtocol(SignFactory, VerifyFactory)

  /** A token like those that the server makes, but for what is given, signed with the real key. */
  async function forged(
    claims: Record<string, string>,
    installation = server.store.installation,
    signer?: Awaited<ReturnType<ReturnType<typeof keyring>['signing']>>,
  ): Promise<string> {
    const { kid, key } = signer ?? (await keyring(server.dataDir, server.store).signing())
    const { id: jti } = await server.tokenWith(['rest.crm.deals.read'])
    const all = { jti, org: server.a.id, sub: server.a.owner, typ: 'api', ...claims }
    return v4.Sign(key, all, {
      footer: Buffer.from(JSON.stringify({ kid })),
      implicitAssertion: Buffer.from(`dealbox:${installation}`),
      now: new Date(server.now()),
      nonExpiring: true,
    })
  }
  const statusOf = async (token: string) => (await server.call('GET', '/deals', undefined, { token })).status

  test('for none of the reasons below where there is none', async () => {
    assert.equal(await statusOf(await forged({})), 200)
  })

  const reasons: [string, () => Record<string, string>][] = [
    ['it is of another type', () => ({ typ: 'session' })],
    ['it names another organisation', () => ({ org: server.b.id })],
    ['it names another member', () => ({ sub: server.a.deactivated })],
    ['it names a member of another organisation', () => ({ sub: server.b.owner })],
    ['it names a token that is not there', () => ({ jti: randomUUID() })],
    ['it names a token of another organisation', () => ({ jti: server.b.tokenId })],
  ]
  for (const [reason, claims] of reasons) {
    test(`because ${reason}`, async () => {
      assert.equal(await statusOf(await forged(claims())), 401)
    })
  }

  test('because its key is no file of the folder, or none that the database knows', async () => {
    const { privateKey } = generateKeyPairSync('ed25519')
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' })
    const spki = createPublicKey(privateKey).export({ type: 'spki', format: 'der' })
    const own = createHash('sha256').update(spki).digest('hex').slice(0, 16)
    const key = await SecretKeyFromCryptoKey(privateKey.toCryptoKey('Ed25519', true, ['sign']))
    const { verify } = tokens(keyring(server.dataDir, server.store), server.store)
    for (const [kid, isVerified] of [
      ['../planted', false],
      ['00000000deadbeef', false],
      [own, true],
    ] as const) {
      writeFileSync(join(folder, `${kid}.pem`), pem)
      const token = await forged({}, server.store.installation, { kid, key })
      assert.equal((await verify(token)) !== undefined, isVerified)
      assert.equal(await statusOf(token), 401)
      rmSync(join(folder, `${kid}.pem`))
    }
  })

  test('because it was made for another installation, be it with the same keys', async () => {
    assert.equal(await statusOf(await forged({}, randomUUID())), 401)
  })
})
