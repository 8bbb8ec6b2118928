import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, test } from 'node:test'
import { Problem } from '../../../src/lib/problem.ts'
import type { ReplicaStorage } from '../../../src/ops/replication/replica/copy.ts'
import { s3Copy } from '../../../src/ops/replication/replica/s3.ts'
import { copyOfUrl } from '../../../src/ops/replication/replica/url.ts'
import { startPrimary } from '../../support/copied.ts'
import { litestreamEnvironment, noLitestream } from '../../support/litestream.ts'
import { ownCertificate } from '../../support/smtp.ts'
import { untilIs } from '../../support/until.ts'
import { KEYS, startVersitygw } from '../../support/versitygw.ts'
import { standBetween } from '../backup/places/between.ts'

test('a reader follows a replica in S3, with the keys of its environment', { skip: noLitestream }, async () => {
  const own = process.env
  process.env = litestreamEnvironment()
  const gateway = await startVersitygw()
  const primary = await startPrimary({}, { port: gateway.port, prefix: 'crm' })
  try {
    const reader = await primary.startReader()
    try {
      for (const title of ['One', 'Two']) {
        const made = await primary.call('POST', '/deals', { title })
        const seen = { 'dealbox-seq': made.headers.get('dealbox-seq') as string }
        const read = () => reader.call('GET', `/deals/${made.body.id}`, undefined, seen)
        assert.equal((await untilIs(read, ({ status }) => status === 200)).body.title, title)
      }
    } finally {
      await reader.stop()
    }
  } finally {
    await primary.stop()
    await gateway.stop()
    process.env = own
  }
})

describe('what S3 refuses is said with the options', () => {
  const account = (port: number) => ({
    ...{ endpoint: new URL(`http://127.0.0.1:${port}`), bucket: 'crm', prefix: 'copy/' },
    ...{ keys: KEYS, region: 'us-east-1' },
  })
  const env = { AWS_ACCESS_KEY_ID: KEYS.id, AWS_SECRET_ACCESS_KEY: KEYS.secret }
  const sentenceOf = async (copy: ReplicaStorage | undefined): Promise<string> => {
    const failed = await copy?.files(0).catch((error: Problem) => error)
    assert.ok(failed instanceof Problem)
    return failed.message
  }

  test('of the replica where another region is meant', async (t) => {
    const server = createServer((request, response) => {
      request.resume()
      response.writeHead(301, { 'x-amz-bucket-region': 'eu-central-1' }).end()
    })
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
    t.after(() => {
      server.close()
      server.closeAllConnections()
    })
    const { port } = server.address() as AddressInfo
    assert.match(await sentenceOf(s3Copy(account(port))), /eu-central-1: use --replica-region eu-central-1\.$/)
    const url = `s3://crm/copy?endpoint=http://127.0.0.1:${port}`
    const ofUrl = copyOfUrl(url, env)
    assert.match(await sentenceOf(ofUrl), /eu-central-1: use region=eu-central-1 in its URL\.$/)
    assert.match(await sentenceOf(ofUrl?.below('epoch-00000002')), /use region=eu-central-1 in its URL\.$/)
  })

  test('of the replica where its certificate is not trusted', async (t) => {
    const secure = await standBetween(1, ownCertificate())
    t.after(secure.stop)
    const endpoint = new URL(`https://127.0.0.1:${secure.port}`)
    const copy = s3Copy({ ...account(secure.port), endpoint })
    assert.match(await sentenceOf(copy), /self-signed\. If it is your own, name its file with --ca\.$/)
    const ofUrl = copyOfUrl(`s3://crm/copy?endpoint=${endpoint.origin}`, env)
    assert.match(await sentenceOf(ofUrl), /name its file with --ca\.$/)
  })
})
