import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aliasOf } from '../../../../src/lib/mail/message-id.ts'
import { assignedIds } from '../../../../src/lib/mail/transport/assigned-ids.ts'

const ENVELOPE = ['sales@acme.example', 'ann@customer.example']
const UUID = 'b7bc2f4a-e38e-4336-af7d-e6c392c2f817'
const SES = '0100019a0b1c2d3e-4f5a6b7c-8d9e-4f0a-b1c2-d3e4f5a6b7c8-000000'

const saying: [provider: string, reply: string, ids: string[], host?: string][] = [
  ['Amazon SES', `250 Ok ${SES}`, [`<${SES}@amazonses.com>`]],
  [
    'Exchange Online',
    '250 2.0.0 OK <CH0PR11MB5411F51E@CH0PR11MB5411.namprd11.prod.outlook.com> [Hostname=CH0PR11MB5411.namprd11.prod.outlook.com]',
    ['<CH0PR11MB5411F51E@CH0PR11MB5411.namprd11.prod.outlook.com>'],
  ],
  [
    'Exchange',
    '250 2.6.0 <a1b2@mail.acme.example> [InternalId=42, Hostname=EX1.acme.example] Queued mail for delivery',
    ['<a1b2@mail.acme.example>'],
  ],
  [
    'Brevo',
    '250 2.0.0 OK: queued as <202611281000.12345678901@smtp-relay.mailin.fr>',
    ['<202611281000.12345678901@smtp-relay.mailin.fr>'],
  ],
  ['Postmark', `250 2.0.0 OK: queued as ${UUID}`, [`<${UUID}@mtasv.net>`], 'smtp.postmarkapp.com'],
  ['several lines', '250-2.0.0 taken\r\n250 2.0.0 OK <x1@relay.example>', ['<x1@relay.example>']],
]
for (const [provider, reply, ids, host = 'smtp.example'] of saying)
  test(`${provider} says the id on the wire`, () => assert.deepEqual(assignedIds(reply, host, ENVELOPE), ids))

const silent: [provider: string, reply: string][] = [
  ['Postfix', '250 2.0.0 Ok: queued as 4F3A2C1B0D'],
  ['Postfix with long ids', '250 2.0.0 Ok: queued as 4cXb1N2qZkz9rxN'],
  ['Gmail', '250 2.0.0 OK  1571601091 d44si1315748ede.149 - gsmtp'],
  ['Exim', '250 OK id=1rAbCd-000123-4E'],
  ['Sendmail', '250 2.0.0 x1A2b3C4012345 Message accepted for delivery'],
  ['Mailgun', '250 Great success'],
  ['Mailjet', `250 OK queued as ${UUID}`],
  ['SendGrid', '250 Ok: queued as nhIMmON9SFOPcT0ii4nt2A'],
  ['SparkPost', '250 2.0.0 OK 5E/B6-12345-ABCDEF'],
  ['MailerSend', '250 Message queued as 61eec2dc16ae8b627a4b87e7'],
  ['Yandex', '250 2.0.0 Ok: queued on smtp3m.mail.example as 1430081058-6ltgNFKSir-iHEKdOrm'],
  ['a server that repeats the recipient', '250 2.0.0 <Ann@customer.example> saved'],
  ['a server that repeats the sender', '250 2.1.0 <sales@acme.example> ok'],
]
for (const [provider, reply] of silent)
  test(`the id of the queue of ${provider} is none of a mail`, () =>
    assert.deepEqual(assignedIds(reply, 'smtp.example', ENVELOPE), []))

test('the region of Amazon SES does not matter', () => {
  for (const domain of ['email', 'eu-central-1', 'us-west-2', 'AP-Southeast-2'])
    assert.equal(aliasOf(`<${SES}@${domain}.amazonses.com>`), `<${SES}@amazonses.com>`)
  assert.equal(aliasOf('<a@evilamazonses.com>'), '<a@evilamazonses.com>')
  assert.equal(aliasOf('<a@amazonses.com.evil.example>'), '<a@amazonses.com.evil.example>')
})
