import assert from 'node:assert/strict'
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { Problem } from '../../../../src/lib/problem.ts'
import { MIB } from '../../../../src/lib/size.ts'
import { DAY_MS } from '../../../../src/lib/time.ts'
import type { BackupPlace } from '../../../../src/ops/backup/places/place.ts'
import type { Account } from '../../../../src/ops/backup/places/s3/account.ts'
import { type S3Options, s3Place } from '../../../../src/ops/backup/places/s3/s3.ts'
import { noGo } from '../../../support/go-tools.ts'
import { ownCertificate } from '../../../support/smtp.ts'
import { trusting } from '../../../support/trust.ts'
import { BUCKET, type Gateway, KEYS, startVersitygw } from '../../../support/versitygw.ts'
import { type Between, standBetween } from './between.ts'
import { isEqual, nameOf, sample, temporaryFolder } from './samples.ts'

const folder = temporaryFolder()
/** Parts of 5 MiB are the smallest that S3 accepts. */
const IN_PARTS = { cut: { wholeBytes: 5 * MIB, partBytes: 5 * MIB } }
const name = nameOf(1)
const small = sample(folder, 'small', 100_000)

/** Rejects with a Problem of that code and sentence. */
const refused = (work: Promise<unknown>, code: string, sentence: RegExp) =>
  assert.rejects(work, (error) => {
    assert.ok(error instanceof Problem, String(error))
    assert.match(error.message, sentence)
    assert.equal(error.code, code)
    return true
  })

describe('a bucket', { skip: noGo }, () => {
  let gateway: Gateway
  let between: Between
  const pauses: number[] = []

  before(async () => {
    gateway = await startVersitygw()
    between = await standBetween(gateway.port)
  })
  after(async () => {
    await between?.stop()
    await gateway?.stop()
  })

  const accountAt = (port: number, more: Partial<Account> = {}): Account => ({
    ...{
      endpoint: new URL(`http://127.0.0.1:${port}`),
      bucket: BUCKET,
      prefix: 'crm/',
      keys: KEYS,
      region: 'us-east-1',
    },
    ...more,
  })
  const wait = async (ms: number) => void pauses.push(ms)
  const place = (more: Partial<Account> = {}, options: S3Options = {}): BackupPlace => {
    pauses.length = 0
    return s3Place(accountAt(between.port, more), { wait, ...options })
  }
  const stored = (path: string) => join(gateway.bucket, path)
  /** The folders of uploads that are not complete. */
  const uploads = () => globSync('.sgwtmp/multipart/*/*', { cwd: gateway.bucket })
  const empty = async () => {
    between.follow({})
    const all = place()
    for (const copy of await all.list()) await all.remove(copy.name)
  }

  test('gets a copy, lists it, gives it back and removes it', async () => {
    between.follow({})
    const began = Date.now() - 1000
    const own = place()
    assert.equal(own.name, `127.0.0.1:${between.port}/${BUCKET}/crm`)
    await own.put(small, name)
    assert.ok(isEqual(stored(`crm/${name}`), small))
    const [copy, ...others] = await own.list()
    assert.deepEqual({ ...copy, time: 0 }, { name, bytes: 100_000, time: 0 })
    assert.ok(copy && copy.time > began && copy.time < Date.now() + 1000)
    assert.deepEqual(others, [])
    await own.get(name, join(folder, 'back'))
    assert.ok(isEqual(join(folder, 'back'), small))
    await own.remove(name)
    assert.deepEqual(await own.list(), [])
    assert.equal(existsSync(stored(`crm/${name}`)), false)
    await own.remove(name) // no error
    await refused(own.get(name, join(folder, 'none')), 'no_such_copy', /has no copy dealbox-/)
    assert.equal(existsSync(join(folder, 'none')), false)
  })

  test('may be used without a folder, with one of many names, and for an empty file', async () => {
    const nothing = sample(folder, 'nothing', 0)
    for (const prefix of ['', "a+b (c)/d'é*!/"]) {
      const own = place({ prefix })
      await own.put(nothing, name)
      assert.deepEqual(
        (await own.list()).map(({ bytes }) => bytes),
        [0],
      )
      await own.get(name, join(folder, 'empty'))
      assert.ok(isEqual(join(folder, 'empty'), nothing))
      await own.remove(name)
    }
  })

  test('keeps the objects of others', async () => {
    await empty()
    mkdirSync(stored('crm'), { recursive: true })
    writeFileSync(stored('crm/dealbox-notes.txt'), 'mine')
    const own = place()
    await own.put(small, name)
    assert.deepEqual(
      (await own.list()).map((copy) => copy.name),
      [name],
    )
    assert.deepEqual(await place({ prefix: '' }).list(), [])
    for (const each of ['dealbox-notes.txt', '../x', ''])
      for (const work of [own.remove, own.put.bind(own, small), (name: string) => own.get(name, join(folder, 'x'))])
        await refused(work(each), 'no_such_copy', /is not the name of a backup/)
    assert.equal(readFileSync(stored('crm/dealbox-notes.txt'), 'utf8'), 'mine')
  })

  test('is listed page by page, sorted by name', async () => {
    await empty()
    const own = place({}, { pageSize: 2 })
    for (const day of [5, 3, 1, 4, 2]) await own.put(small, nameOf(day))
    between.follow({})
    assert.deepEqual(
      (await own.list()).map((copy) => copy.name),
      [1, 2, 3, 4, 5].map(nameOf),
    )
    assert.equal(between.requests.length, 3)
    assert.ok(between.requests.slice(1).every((line) => line.includes('continuation-token=')))
  })

  test('gets large files in parts', async () => {
    const large = sample(folder, 'large', 11 * MIB)
    const own = place({}, IN_PARTS)
    between.follow({})
    await own.put(large, name)
    assert.deepEqual(
      between.requests.flatMap((line) => /^PUT.*partNumber=(\d)/.exec(line)?.[1] ?? []),
      ['1', '2', '3'],
    )
    // Compared by the ETag: nothing was read back.
    assert.equal(between.requests.filter((line) => line.startsWith(`GET /${BUCKET}/crm/`)).length, 0)
    await own.get(name, join(folder, 'large-back'))
    assert.ok(isEqual(join(folder, 'large-back'), large))
    assert.deepEqual(uploads(), [])
  })

  test('says which key is wrong, and that the bucket is missing', async () => {
    const keys = { ...KEYS, secret: 'another' }
    await refused(place({ keys }).put(small, name), 'place_denied', /^127.*does not accept the secret access key\.$/)
    const others = { ...KEYS, id: 'AKANOTHER' }
    await refused(place({ keys: others }).list(), 'place_denied', /does not know the access key id\.$/)
    await refused(place({ bucket: 'nothing' }).put(small, name), 'place_missing', /has no such bucket/)
    assert.deepEqual(pauses, []) // nothing to wait for
    await refused(place({}, { now: () => 0 }).list(), 'place_denied', /check the clock of this machine/)
    await refused(place({ region: 'eu-west-3' }).list(), 'place_failed', /region us-east-1: use --backup-s3-region us-/)
  })

  test('survives a connection that is cut once in a part', async () => {
    await empty()
    const large = sample(folder, 'large', 11 * MIB)
    let cuts = 0
    between.follow({ cutAfter: (line) => (line.includes('partNumber=2') && cuts++ === 0 ? 2 * MIB : undefined) })
    const own = place({}, IN_PARTS)
    await own.put(large, name)
    assert.deepEqual(pauses, [1000])
    between.follow({ cutAfter: (line) => (line.startsWith('GET') && cuts++ === 1 ? 0 : undefined) })
    await own.get(name, join(folder, 'again'))
    assert.ok(isEqual(join(folder, 'again'), large))
  })

  test('keeps no parts of an upload that fails', async () => {
    await empty()
    const large = sample(folder, 'large', 11 * MIB)
    between.follow({ cutAfter: (line) => (line.includes('partNumber=2') ? 2 * MIB : undefined) })
    await refused(place({}, IN_PARTS).put(large, name), 'place_failed', /The connection was closed/)
    assert.deepEqual(pauses, [1000, 4000, 15_000])
    assert.deepEqual(uploads(), [])
    assert.deepEqual(await place().list(), [])
  })

  test('keeps no parts of an upload that is stopped', async () => {
    const large = sample(folder, 'large', 11 * MIB)
    const stopping = new AbortController()
    const reason = new Error('stopping')
    between.follow({ before: (line) => line.includes('partNumber=2') && stopping.abort(reason) })
    await assert.rejects(place({}, IN_PARTS).put(large, name, stopping.signal), reason)
    assert.deepEqual(uploads(), [])
    assert.deepEqual(pauses, [])
  })

  test('aborts the uploads that a dead connection has left, before the next one', async () => {
    await empty()
    const large = sample(folder, 'large', 11 * MIB)
    // Nothing passes any more, so that the upload cannot be aborted.
    let isDead = false
    const rule = { cutAfter: (line: string) => ((isDead ||= line.includes('partNumber=2')) ? 0 : undefined) }
    for (const each of [name, nameOf(2)]) {
      isDead = false
      between.follow(rule)
      await refused(place({}, IN_PARTS).put(large, each), 'place_failed', /The connection was closed/)
    }
    assert.equal(uploads().length, 2)
    between.follow({})
    await place().put(small, name)
    assert.equal(uploads().length, 1, 'that of another name may still go on')
    const [left = ''] = uploads()
    const dayAgo = (Date.now() - DAY_MS) / 1000 - 60
    utimesSync(stored(left), dayAgo, dayAgo)
    await place().put(small, nameOf(3))
    assert.deepEqual(uploads(), [])
  })

  test('notices an object that was changed meanwhile', async () => {
    await empty()
    const others = [sample(folder, 'other', 100_000), sample(folder, 'shorter', 99_999)]
    for (const other of others) {
      const foreign = s3Place(accountAt(gateway.port))
      let replaced = 0
      between.follow({ before: (line) => line.startsWith('HEAD') && replaced++ === 0 && foreign.put(other, name) })
      await refused(place().put(small, name), 'copy_differs', /differs from dealbox-.*does not count as a copy/)
      assert.deepEqual(await place().list(), [])
    }
  })

  test('reads an object back whose ETag is another one', async () => {
    await empty()
    const large = sample(folder, 'large', 6 * MIB)
    const inParts = s3Place(accountAt(gateway.port), IN_PARTS)
    between.follow({ before: (line) => line.startsWith('HEAD') && inParts.put(large, name) })
    await place().put(large, name)
    assert.equal(between.requests.at(-1), `GET /${BUCKET}/crm/${name}`)
  })

  test('does not give back what is not what was put there', async () => {
    await empty()
    between.follow({})
    const own = place()
    await own.put(small, name)
    const bytes = readFileSync(stored(`crm/${name}`))
    bytes[50_000] = (bytes[50_000] as number) ^ 1
    writeFileSync(stored(`crm/${name}`), bytes)
    const before = readdirSync(folder)
    await refused(own.get(name, join(folder, 'changed')), 'copy_differs', /changed or damaged after it arrived/)
    assert.deepEqual(readdirSync(folder), before)
  })

  test('is reached through TLS, by a certificate that is trusted', async (t) => {
    const certificate = ownCertificate()
    const secure = await standBetween(gateway.port, certificate)
    t.after(secure.stop)
    const account = accountAt(secure.port, { endpoint: new URL(`https://127.0.0.1:${secure.port}`) })
    const sentence = /The certificate is self-signed\. If it is your own, name its file with --ca\.$/
    await refused(s3Place(account, { wait }).put(small, name), 'place_failed', sentence)
    assert.deepEqual(secure.requests, [])
    trusting(t, certificate.cert)
    await s3Place(account).put(small, name)
    assert.equal(secure.requests.length, 3)
  })

  test('is missing, when nothing listens', async () => {
    const nobody = await standBetween(1)
    await nobody.stop()
    pauses.length = 0
    await refused(s3Place(accountAt(nobody.port), { wait }).list(), 'place_failed', /The connection was refused\.$/)
    assert.equal(pauses.length, 3)
  })
})

describe('answers that this server never gives', () => {
  /** Answers all requests the same; without a status, never. */
  async function scripted(
    t: { after: (end: () => void) => void },
    status: number,
    text = '',
    headers = {},
    idle_ms = 60_000,
  ) {
    let count = 0
    const server = createServer((request, response) => {
      count++
      request.resume()
      if (status === 0) return
      response.writeHead(status, headers).end(text)
    })
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
    t.after(() => {
      server.close()
      server.closeAllConnections()
    })
    const endpoint = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    const wait = async () => undefined
    const account = { endpoint, bucket: 'b'.repeat(3), prefix: '', keys: KEYS, region: 'us-east-1' }
    return { place: s3Place(account, { wait, idle_ms }), count: () => count }
  }

  test('a redirect is not followed', async (t) => {
    const headers = { location: 'http://127.0.0.1:1/', 'x-amz-bucket-region': 'eu-central-1' }
    const { place, count } = await scripted(t, 301, '', headers)
    await refused(place.list(), 'place_failed', /is in the region eu-central-1: use --backup-s3-region eu-central-1\.$/)
    assert.equal(count(), 1)
  })

  test('a service that is busy is asked four times', async (t) => {
    const { place, count } = await scripted(t, 503, '<Error><Code>SlowDown</Code></Error>')
    await refused(place.list(), 'place_failed', /answered 503 \(SlowDown\)\.$/)
    assert.equal(count(), 4)
  })

  test('a service that never answers is given up', async (t) => {
    const { place } = await scripted(t, 0, '', {}, 50)
    await refused(place.list(), 'place_failed', /The service does not respond\.$/)
  })

  test('its words are not repeated', async (t) => {
    const { place } = await scripted(t, 400, '<Error><Code>Odd\u001b[31m</Code><Message>SECRET</Message></Error>')
    await refused(place.list(), 'place_failed', /answered 400\.$/)
  })

  test('what is not S3 is noticed', async (t) => {
    const { place } = await scripted(t, 200, '<html>Hello</html>')
    await refused(place.list(), 'place_failed', /did not send a list: it is not compatible with S3\.$/)
  })

  test('a list without an end ends', async (t) => {
    const page =
      '<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>x</NextContinuationToken></ListBucketResult>'
    const { place, count } = await scripted(t, 200, page)
    await refused(place.list(), 'place_failed', /did not send the end of the list/)
    assert.equal(count(), 100)
  })

  test('an endless answer is not read', async (t) => {
    const { place } = await scripted(t, 200, 'x'.repeat(5 * MIB))
    await refused(place.list(), 'place_failed', /The answer is too long/)
  })
})
