import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startPrimary, until } from '../support/copied.ts'
import { litestreamEnvironment, noLitestream } from '../support/litestream.ts'
import { startVersitygw } from '../support/versitygw.ts'

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
        assert.equal((await until(read, ({ status }) => status === 200)).body.title, title)
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
