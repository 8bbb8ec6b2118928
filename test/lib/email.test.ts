import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emailIn, emailKey } from '../../src/lib/email.ts'

test('one mailbox is one in all of its spellings', () => {
  for (const [one, ...others] of [
    [
      'mia@depot.example',
      'MIA@Depot.Example',
      'mia\u200b@depot.example',
      '\u202amia@depot.example\u202c',
      '"mia"@depot.example',
    ],
    [
      'bo@xn--bcher-kva.example',
      'bo@bücher.example',
      'Bo@BÜCHER.example',
      'bo@bu\u0308cher.example',
      'bo@bü\u00adcher.example',
    ],
    ['ken@depot.example', 'ｋｅｎ＠ｄｅｐｏｔ．ｅｘａｍｐｌｅ', 'ken@depot。example', 'ken＠depot.example'],
  ] as string[][])
    for (const other of others) assert.equal(emailKey(other), one, other)
  assert.notEqual(emailKey('mia@depot.example'), emailKey('mi\u0430@depot.example'), 'a Cyrillic letter')
  assert.notEqual(emailKey('mia@strasse.example'), emailKey('mia@straße.example'))
  assert.notEqual(emailKey('"mia lo"@depot.example'), emailKey('mialo@depot.example'))
})

test('an address is found in what is copied with it, and its local part stays as it is', () => {
  for (const [text, email] of [
    ['Mia.Lo@Depot.EXAMPLE', 'Mia.Lo@Depot.EXAMPLE'],
    ['<mia@depot.example>', 'mia@depot.example'],
    ['mailto:mia%2Bcrm@depot.example?subject=Hi', 'mia+crm@depot.example'],
    ['<mailto:mia@depot.example>', 'mia@depot.example'],
    ['mia@depot.example.', 'mia@depot.example'],
    ['ｍｉａ＠depot。example', 'mia@depot.example'],
    ['mia@[192.0.2.7]', 'mia@[192.0.2.7]'],
    ['mia@@depot.example', undefined],
    ['mia', undefined],
    ['mailto:%', undefined],
  ])
    assert.equal(emailIn(text as string), email, text as string)
})
