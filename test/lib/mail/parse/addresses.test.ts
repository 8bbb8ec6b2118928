import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as v from 'valibot'
import * as f from '../../../../src/lib/fields.ts'
import { readMail } from '../../../../src/lib/mail/parse/read.ts'

const from = async (field: string) => (await readMail(Buffer.from(`From: ${field}\r\n\r\nHello`))).from

describe('an address that exists is read, and may be stored', () => {
  for (const [written, email = written] of [
    ['hana..umi@docomo.example'],
    ['hana.@docomo.example'],
    ['.hana@docomo.example'],
    ['"two words"@x.example'],
    ['"a, b; (c)"@x.example'],
    ['"Two Words"@X.EXAMPLE', '"Two Words"@x.example'],
    ['"anna.weber"@x.example', 'anna.weber@x.example'],
    ["o'neil@x.example"],
    ['jörg@müller.example'],
    ['root@localhost'],
    ['printer@nas'],
    ['ops@[192.0.2.10]'],
    ['a_b@under_score.example'],
    ['x+y/z=1@x.example'],
    ['a@x.example.', 'a@x.example'],
  ] as [string, string?][])
    test(written, async () => {
      assert.deepEqual(await from(`Hana <${written}>`), { email, name: 'Hana' })
      assert.deepEqual(await from(written), { email, name: null })
      assert.equal(v.parse(f.email, email), email)
    })
})

for (const written of [
  'nobody',
  'a@',
  '@x.example',
  'a@@x.example',
  'a@b@x.example',
  '"a"b@x.example',
  'a b@',
  'a@.example',
  '"a@x.example',
  '"a@b, c"@x.example',
  '"a\\@b"@x.example',
  '"a<b"@x.example',
  '"x> , <victim@v.example"@evil.example',
])
  test(`${written} is no address`, async () => {
    assert.equal(await from(`Hana <${written}>`), null)
    assert.equal(v.safeParse(f.email, written).success, false)
  })

test('a name with a comma needs no quotation marks', async () => {
  assert.deepEqual(await from('Ruiz, Eva <eva@x.example>'), { email: 'eva@x.example', name: 'Ruiz, Eva' })
  const to = 'To: a@x.example, Bob <b@x.example>, Roth, Al <c@x.example>, nobody, d@x.example'
  const mail = await readMail(Buffer.from(`${to}\r\n\r\nHello`))
  assert.deepEqual(
    mail.to.map(({ name }) => name),
    [null, 'Bob', 'Roth, Al', null],
  )
})
