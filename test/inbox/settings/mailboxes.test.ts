import assert from 'node:assert/strict'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, test } from 'node:test'
import { resourceDeps } from '../../../src/app/deps.ts'
import type { Mailbox } from '../../../src/inbox/mailboxes/mailbox.ts'
import { mailboxStore } from '../../../src/inbox/mailboxes/mailboxes.ts'
import { mailboxSettings } from '../../../src/inbox/mailboxes/settings.ts'
import { mailboxSecrets } from '../../../src/inbox/mailboxes/settings-secrets.ts'
import type { Change } from '../../../src/store/settings/changes.ts'
import { problem, settingsFixture, thrownErrors } from '../../app/settings/settings-fixture.ts'

const smtp = { host: 'mail.acme.example', port: 587, tls: 'starttls', user: 'crm' }
const imap = { host: 'mail.acme.example', port: 993, tls: 'tls', user: 'crm' }
const support = { key: 'support', name: 'Acme Support', address: 'Support@acme.example', is_default: true, smtp, imap }
const ana = {
  key: 'ana',
  name: 'Ana',
  address: 'ana@acme.example',
  member: 'ana@acme.example',
  smtp: { host: '192.0.2.7', port: 25, tls: 'none' },
}
const VARIABLE = 'TEST_OF_MAILBOXES'
const OTHER = 'TEST_OF_MAILBOXES_TOO'
const byVariable = { ...support, smtp: { ...smtp, password_env: VARIABLE } }

afterEach(() => {
  delete process.env[VARIABLE]
  delete process.env[OTHER]
})

/** The fixture of settings, and what servers get to know of its mailboxes. */
function mailWorkshop(t: Parameters<typeof settingsFixture>[0]) {
  const shop = settingsFixture(t)
  const mailboxes = mailboxStore(resourceDeps(shop.store))
  const { byKey, setPassword } = mailboxSettings(shop.store)
  const mailbox = (key: string): Mailbox => byKey(shop.a, key)
  return {
    ...shop,
    mailboxes,
    mailbox,
    smtpPassword: (key: string) => mailboxes.smtpServer(shop.a, mailbox(key)).password,
    imapPassword: (key: string) => mailboxes.imapServer(shop.a, mailbox(key)).password,
    setPassword: (key: string, password: string, side?: 'smtp' | 'imap') =>
      shop.store.transaction(() => setPassword(shop.a, key, password, side)),
    /** A mail that the mailbox has sent: it cannot be removed any more. */
    use: (key: string) => {
      const { store, a } = shop
      const row = { org: a, id: store.clock.id(), conversation: shop.conversation(), mailbox: mailbox(key).id }
      store.db
        .prepare(
          `INSERT INTO messages (org_id, id, conversation_id, channel, direction, author, body_text, sent_at, status,
             sent_to, sent_cc, is_automatic, attachments, created_at, updated_at, version)
           VALUES (@org, @id, @conversation, 'email', 'outbound', '{}', '', 0, 'sent', '[]', '[]', 0, '[]', 0, 0, 1)`,
        )
        .run(row)
      store.db
        .prepare(
          "INSERT INTO message_headers (org_id, message_id, mailbox_id, refs) VALUES (@org, @id, @mailbox, '[]')",
        )
        .run(row)
    },
  }
}

const told = (changes: Change[]) => changes.map(({ key, action, fields }) => [key, action, fields])

test('mailboxes stand in the order of the document, with what was left out as it is then', (t) => {
  const { apply, show } = settingsFixture(t)
  assert.deepEqual(show().mailboxes, [])
  const [first] = apply({ mailboxes: [ana, support] })
  const shownAna = { ...ana, is_default: false, has_reply_tags: false, daily_limit: null, spacing_s: 0 }
  assert.deepEqual(first, {
    section: 'mailboxes',
    key: 'ana',
    action: 'created',
    fields: {
      name: { from: null, to: 'Ana' },
      address: { from: null, to: 'ana@acme.example' },
      is_default: { from: null, to: false },
      is_active: { from: null, to: true },
      position: { from: null, to: 0 },
      member: { from: null, to: 'ana@acme.example' },
      has_reply_tags: { from: null, to: false },
      spacing_s: { from: null, to: 0 },
      smtp: { from: null, to: ana.smtp },
    },
  })
  assert.deepEqual(show().mailboxes, [
    shownAna,
    {
      ...support,
      has_reply_tags: false,
      daily_limit: null,
      spacing_s: 0,
      imap: { ...imap, folder: 'INBOX', save_sent: false },
    },
  ])
  assert.deepEqual(apply(show()), [])
  assert.deepEqual(told(apply({ mailboxes: [support, ana] })), [
    ['support', 'updated', { position: { from: 1, to: 0 } }],
    ['ana', 'updated', { position: { from: 0, to: 1 } }],
  ])
})

test('everything that a mailbox can say is shown again, and applied twice changes nothing', (t) => {
  const { apply, show } = settingsFixture(t)
  process.env[VARIABLE] = 'secret'
  const whole = {
    key: 'whole',
    name: 'All of it',
    address: 'all@acme.example',
    is_default: true,
    member: 'bo@acme.example',
    has_reply_tags: true,
    daily_limit: 50,
    spacing_s: 90,
    smtp: { ...smtp, password_env: VARIABLE },
    imap: {
      ...imap,
      password_env: VARIABLE,
      folder: 'Kunden/Eingang',
      import_since: '2026-11-20T08:36:00.000Z',
      save_sent: true,
    },
  }
  apply({ mailboxes: [whole] })
  assert.deepEqual(show().mailboxes, [whole])
  assert.deepEqual(apply({ mailboxes: [whole] }), [])
  const written = { ...whole, imap: { ...whole.imap, import_since: '2026-11-20T09:36:00+01:00' } }
  assert.deepEqual(apply({ mailboxes: [written] }), [], 'the same moment')
  apply({ mailboxes: [{ ...whole, imap: { ...whole.imap, import_since: '2026-11-01' } }] })
  assert.equal(show().mailboxes[0]?.imap?.import_since, '2026-11-01')
})

test('only a mailbox that changes gets a new version', (t) => {
  const { apply, edit, rows, advance } = settingsFixture(t)
  apply({ mailboxes: [support, ana] })
  const before = rows('mailboxes')
  advance(1000)
  edit(({ mailboxes }) => {
    mailboxes[1]!.name = 'Ana A.'
  })
  const updated_at = (before[1]?.updated_at as number) + 1000
  assert.deepEqual(rows('mailboxes'), before.with(1, { ...before[1]!, name: 'Ana A.', updated_at, version: 2 }))
})

test('what a mailbox cannot be is refused with a pointer to every fault', (t) => {
  const { apply } = settingsFixture(t)
  const faults = (given: object) => thrownErrors(() => apply({ mailboxes: [{ ...support, ...given }] }))
  const host = (text: string) => faults({ smtp: { ...smtp, host: text } })
  for (const wrong of [
    'https://mail.acme.example',
    'mail.acme.example:25',
    'user@mail.acme.example',
    'user:secret@mail',
    'a b',
    ' mail',
    '',
    'mail..example',
    '-mail',
    '[::1]',
    '300.1.1.1',
    'mail.acme.example/',
    'mail\n',
    'x'.repeat(64),
  ]) {
    assert.deepEqual(host(wrong), ['/mailboxes/0/smtp/host invalid_host'], wrong)
  }
  for (const port of [0, 65_536, -1]) {
    assert.deepEqual(faults({ smtp: { ...smtp, port } }), ['/mailboxes/0/smtp/port out_of_range'])
  }
  assert.deepEqual(faults({ smtp: { ...smtp, port: 25.5, tls: 'ssl', user: '' } }), [
    '/mailboxes/0/smtp/port invalid_integer',
    '/mailboxes/0/smtp/tls invalid_choice',
    '/mailboxes/0/smtp/user empty',
  ])
  assert.deepEqual(faults({ smtp: { ...smtp, password: 'secret' } }), ['/mailboxes/0/smtp/password unknown_field'])
  assert.deepEqual(faults({ smtp: { ...smtp, folder: 'INBOX' } }), ['/mailboxes/0/smtp/folder unknown_field'])
  assert.deepEqual(
    faults({
      key: 'a b',
      name: 'A\r\nBcc: x@x.example',
      address: 'nobody',
      daily_limit: 0,
      spacing_s: 86_401,
      member: 'x',
      imap: { ...imap, folder: ' ', import_since: 'yesterday', user: 'a\u0007' },
    }),
    [
      '/mailboxes/0/key invalid_key',
      '/mailboxes/0/name invalid_text',
      '/mailboxes/0/address invalid_email',
      '/mailboxes/0/member invalid_email',
      '/mailboxes/0/daily_limit out_of_range',
      '/mailboxes/0/spacing_s out_of_range',
      '/mailboxes/0/imap/user invalid_text',
      '/mailboxes/0/imap/folder empty',
      '/mailboxes/0/imap/import_since invalid_time',
    ],
  )
  assert.deepEqual(faults({ smtp: { ...smtp, password_env: 'A=B' } }), [
    '/mailboxes/0/smtp/password_env invalid_variable',
  ])
  const { user: _, ...anonymous } = imap
  assert.deepEqual(faults({ imap: anonymous }), ['/mailboxes/0/imap/user required'])
})

test('a server is named as DNS has it, or by its address', (t) => {
  const { apply, show } = settingsFixture(t)
  for (const [given, stored] of [
    ['MAIL.Acme.example', 'mail.acme.example'],
    ['localhost', 'localhost'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['192.0.2.1', '192.0.2.1'],
    ['2001:db8::1', '2001:db8::1'],
  ]) {
    apply({ mailboxes: [{ ...ana, smtp: { ...ana.smtp, host: given } }] })
    assert.equal(show().mailboxes[0]?.smtp.host, stored)
    assert.deepEqual(apply(show()), [])
  }
})

test('the rules between mailboxes: one default, and addresses and members once each, whatever their case', (t) => {
  const { apply } = settingsFixture(t)
  const others = [
    { ...ana, key: 'two', member: 'ANA@acme.example', address: 'two@acme.example' },
    { ...support, key: 'support', address: 'SUPPORT@ACME.example' },
  ]
  assert.deepEqual(
    thrownErrors(() => apply({ mailboxes: [support, ana, ...others] })),
    [
      '/mailboxes/3/key duplicate',
      '/mailboxes/3/is_default second_default',
      '/mailboxes/3/address duplicate',
      '/mailboxes/2/member duplicate',
    ],
  )
})

test('a password has one source, and one only where there is a user', (t) => {
  const { apply } = settingsFixture(t)
  const both = { password_env: VARIABLE, password_file: '/x' }
  const { user: _, ...anonymous } = smtp
  assert.deepEqual(
    thrownErrors(() =>
      apply({
        mailboxes: [
          { ...support, smtp: { ...smtp, ...both }, imap: { ...imap, ...both } },
          { ...ana, smtp: { ...anonymous, password_env: VARIABLE } },
          { ...ana, key: 'b', address: 'b@b.example', member: null, smtp: { ...anonymous, password_file: '/x' } },
        ],
      }),
    ),
    [
      '/mailboxes/0/smtp/password_file two_sources',
      '/mailboxes/0/imap/password_file two_sources',
      '/mailboxes/1/smtp/password_env no_user',
      '/mailboxes/2/smtp/password_file no_user',
    ],
  )
})

test('the password of a variable is stored sealed, and told nowhere', (t) => {
  const { apply, show, rows, smtpPassword, store } = mailWorkshop(t)
  process.env[VARIABLE] = 'correct horse'
  const changed = apply({ mailboxes: [byVariable] })
  assert.deepEqual(changed[0]?.fields['smtp.password'], { from: null, to: 'stored' })
  assert.equal(changed[0]?.fields['imap.password'], undefined)
  assert.equal(smtpPassword('support'), 'correct horse')
  assert.equal(show().mailboxes[0]?.smtp.password_env, VARIABLE)
  const sealed = rows('mailboxes')[0]?.smtp_secret as string
  assert.throws(() => store.vault.open(`mailbox ${rows('mailboxes')[0]?.id} imap`, sealed), /is not the key/)
  assert.deepEqual(apply({ mailboxes: [byVariable] }), [])
  assert.equal(rows('mailboxes')[0]?.smtp_secret, sealed, 'sealed once')
  process.env[VARIABLE] = 'battery staple'
  const [other] = apply({ mailboxes: [byVariable] })
  assert.deepEqual(other?.fields, { 'smtp.password': { from: 'stored', to: 'another one' } })
  assert.equal(rows('mailboxes')[0]?.version, 2)
  assert.equal(smtpPassword('support'), 'battery staple')
  const all = JSON.stringify([changed, other, show(), rows('mailboxes')])
  assert.ok(!/horse|staple/.test(all))
})

test('a dry run tells of another password, and stores nothing', (t) => {
  const { apply, smtpPassword } = mailWorkshop(t)
  process.env[VARIABLE] = 'one'
  apply({ mailboxes: [byVariable] })
  process.env[VARIABLE] = 'two'
  const [change] = apply({ mailboxes: [byVariable] }, { dryRun: true })
  assert.deepEqual(change?.fields, { 'smtp.password': { from: 'stored', to: 'another one' } })
  assert.equal(smtpPassword('support'), 'one')
})

test('the password of a file is its line, without the end of it', (t) => {
  const { apply, dataDir, smtpPassword } = mailWorkshop(t)
  const file = join(dataDir, 'password')
  const given = { mailboxes: [{ ...support, smtp: { ...smtp, password_file: file } }] }
  for (const [content, password] of [
    ['Pässwort \n', 'Pässwort '],
    ['crlf\r\n', 'crlf'],
    ['bare', 'bare'],
    ['\ufeffmarked\n', 'marked'],
    ['x'.repeat(4096), 'x'.repeat(4096)],
  ] as const) {
    writeFileSync(file, content)
    apply(given)
    assert.equal(smtpPassword('support'), password)
    assert.deepEqual(apply(given), [])
  }
})

test('a source that gives no password is refused by its name, and not by what is in it', (t) => {
  const { apply, dataDir, rows } = mailWorkshop(t)
  const refused = (source: object): string => {
    const given = { mailboxes: [{ ...support, smtp: { ...smtp, ...source } }] }
    const [field] = Object.keys(source)
    assert.deepEqual(
      thrownErrors(() => apply(given)),
      [`/mailboxes/0/smtp/${field} no_password`],
    )
    try {
      apply(given)
    } catch (error) {
      return (error as Error).message
    }
    return ''
  }
  assert.match(refused({ password_env: VARIABLE }), new RegExp(`with a password: ${VARIABLE} is not set\\.$`))
  process.env[VARIABLE] = ''
  assert.match(refused({ password_env: VARIABLE }), new RegExp(`${VARIABLE} is empty\\.$`))
  process.env[VARIABLE] = 'two\nlines'
  assert.match(refused({ password_env: VARIABLE }), /has more than one line\.$/)
  const file = join(dataDir, 'password')
  const folder = join(dataDir, 'folder')
  mkdirSync(folder)
  assert.match(refused({ password_file: file }), /password cannot be read \(ENOENT\)\.$/)
  assert.match(refused({ password_file: folder }), /folder cannot be read \(EISDIR\)\.$/)
  for (const [content, why] of [
    ['', /is empty\.$/],
    ['\n', /is empty\.$/],
    ['secret\nmore\n', /has more than one line\.$/],
    ['secret\n\n', /has more than one line\.$/],
    ['secret\0', /has more than one line\.$/],
    [Buffer.from([0x73, 0xff]), /is not UTF-8\.$/],
    ['x'.repeat(4097), /is longer than 4096 bytes\.$/],
    ['x'.repeat(9999), /is longer than 4096 bytes\.$/],
  ] as const) {
    writeFileSync(file, content)
    const message = refused({ password_file: file })
    assert.match(message, why)
    assert.ok(!/secret|xxx/.test(message))
  }
  assert.deepEqual(rows('mailboxes'), [])
})

test('what is stored stays where its own source is gone, and not where the source is another one', (t) => {
  const { apply, smtpPassword, dataDir, store } = mailWorkshop(t)
  process.env[VARIABLE] = 'one'
  apply({ mailboxes: [byVariable] })
  delete process.env[VARIABLE]
  assert.deepEqual(apply({ mailboxes: [byVariable] }), [])
  assert.equal(smtpPassword('support'), 'one')
  for (const source of [{ password_env: OTHER }, { password_file: join(dataDir, 'none') }]) {
    const [field] = Object.keys(source)
    assert.deepEqual(
      thrownErrors(() => apply({ mailboxes: [{ ...support, smtp: { ...smtp, ...source } }] })),
      [`/mailboxes/0/smtp/${field} no_password`],
    )
  }
  store.db.prepare('UPDATE mailboxes SET smtp_secret = NULL').run()
  assert.deepEqual(
    thrownErrors(() => apply({ mailboxes: [byVariable] })),
    ['/mailboxes/0/smtp/password_env no_password'],
    'there is none to stay',
  )
  process.env[VARIABLE] = 'one'
  assert.deepEqual(told(apply({ mailboxes: [byVariable] })), [
    ['support', 'updated', { 'smtp.password': { from: null, to: 'stored' } }],
  ])
  process.env[OTHER] = 'one'
  assert.deepEqual(told(apply({ mailboxes: [{ ...support, smtp: { ...smtp, password_env: OTHER } }] })), [
    [
      'support',
      'updated',
      { smtp: { from: { ...smtp, password_env: VARIABLE }, to: { ...smtp, password_env: OTHER } } },
    ],
  ])
})

test('without a source what is stored stays, and without a user nothing does', (t) => {
  const { apply, smtpPassword, rows } = mailWorkshop(t)
  process.env[VARIABLE] = 'one'
  apply({ mailboxes: [byVariable] })
  apply({ mailboxes: [support] })
  assert.equal(smtpPassword('support'), 'one')
  const { user: _, ...anonymous } = smtp
  const [change] = apply({ mailboxes: [{ ...support, smtp: anonymous }] })
  assert.deepEqual(change?.fields['smtp.password'], { from: 'stored', to: null })
  assert.equal(smtpPassword('support'), null)
  assert.equal(rows('mailboxes')[0]?.smtp_secret, null)
})

test('a password is stored by hand, for both sides or one, where no source gives it', (t) => {
  const { apply, setPassword, smtpPassword, imapPassword, rows } = mailWorkshop(t)
  apply({ mailboxes: [support, ana] })
  assert.throws(
    () => smtpPassword('support'),
    /has no password for SMTP yet\. Set it with "dealbox mailbox password support"/,
  )
  assert.throws(() => imapPassword('support'), problem(409, 'no_password'))
  setPassword('support', 'both')
  assert.deepEqual([smtpPassword('support'), imapPassword('support')], ['both', 'both'])
  setPassword('support', 'own', 'imap')
  assert.deepEqual([smtpPassword('support'), imapPassword('support')], ['both', 'own'])
  const before = rows('mailboxes')
  assert.equal(before[0]?.version, 3, 'so that what holds a connection notices')
  setPassword('support', 'own', 'imap')
  assert.deepEqual(rows('mailboxes'), before)
  assert.deepEqual(apply({ mailboxes: [support, ana] }), [])
  assert.equal(imapPassword('support'), 'own')

  process.env[VARIABLE] = 'env'
  apply({ mailboxes: [byVariable, ana] })
  setPassword('support', 'new')
  assert.deepEqual([smtpPassword('support'), imapPassword('support')], ['env', 'new'])
  const refused = problem(409, 'no_password_needed')
  assert.throws(() => setPassword('support', 'x', 'smtp'), /gets its password for SMTP from TEST_OF_MAILBOXES\. Change/)
  assert.throws(() => setPassword('ana', 'x'), /uses its SMTP server without a user/)
  assert.throws(() => setPassword('ana', 'x', 'imap'), refused)
  assert.throws(() => setPassword('none', 'x'), problem(404, 'no_such_mailbox'))
})

test('where the key of the secrets is lost, the same password is stored anew', (t) => {
  const { apply, dataDir, smtpPassword } = mailWorkshop(t)
  process.env[VARIABLE] = 'one'
  apply({ mailboxes: [byVariable] })
  rmSync(join(dataDir, 'keys', 'secrets.key'))
  assert.throws(() => smtpPassword('support'), problem(409, 'secret_unreadable'))
  apply({ mailboxes: [byVariable] })
  assert.equal(smtpPassword('support'), 'one')
})

test('the default moves in one document, and there may be none', (t) => {
  const { apply, mailboxes, a } = mailWorkshop(t)
  apply({ mailboxes: [support, ana] })
  assert.equal(mailboxes.defaultOf(a)?.key, 'support')
  const changed = apply({
    mailboxes: [
      { ...ana, is_default: true },
      { ...support, is_default: false },
    ],
  })
  assert.deepEqual(
    changed.map(({ key, fields }) => [key, fields.is_default]),
    [
      ['ana', { from: false, to: true }],
      ['support', { from: true, to: false }],
    ],
  )
  assert.equal(mailboxes.defaultOf(a)?.key, 'ana')
  apply({ mailboxes: [ana] })
  assert.equal(mailboxes.defaultOf(a), undefined)
})

test('a mailbox is an active member of this organisation their own, and two can swap', (t) => {
  const { apply, edit, mailboxes, mailbox, a, b, row, store, show } = mailWorkshop(t)
  const bo = { ...ana, key: 'bo', address: 'bo@acme.example', member: 'bo@acme.example' }
  apply({ mailboxes: [ana, bo] })
  const id = (email: string) => row('members', email).id as string
  const ownOf = (email: string) => mailboxes.ownOf(a, id(email))?.key
  assert.equal(ownOf('ana@acme.example'), 'ana')
  apply({
    mailboxes: [
      { ...ana, member: bo.member },
      { ...bo, member: ana.member },
    ],
  })
  assert.deepEqual([ownOf('ana@acme.example'), ownOf('bo@acme.example')], ['bo', 'ana'])
  assert.equal(mailboxes.ownOf(b, id('ana@acme.example')), undefined)
  const unknown = ['/mailboxes/0/member unknown_member']
  assert.deepEqual(
    thrownErrors(() => apply({ mailboxes: [{ ...ana, member: 'cy@acme.example' }] })),
    unknown,
  )

  edit((document) => void document.members.pop())
  assert.equal(row('members', 'bo@acme.example').status, 'deactivated', 'their mailbox keeps them on record')
  assert.equal(ownOf('bo@acme.example'), undefined)
  assert.equal(mailbox('ana').is_active, true)
  assert.equal(show().mailboxes[0]?.member, 'bo@acme.example')
  assert.deepEqual(apply(show()), [], 'what is shown can be applied')
  assert.deepEqual(
    thrownErrors(() => apply({ mailboxes: [{ ...bo, key: 'new', address: 'new@acme.example' }] })),
    unknown,
  )
  store.db.prepare("UPDATE members SET status = 'active' WHERE email = 'bo@acme.example' AND org_id = ?").run(a)
  assert.equal(ownOf('bo@acme.example'), 'ana')
})

test('a mailbox left out is removed where nothing tells of it, else deactivated', (t) => {
  const { apply, use, rows, mailboxes, mailbox, a, show } = mailWorkshop(t)
  apply({ mailboxes: [ana, { ...support, member: 'bo@acme.example' }] })
  use('support')
  mailboxes.saveState(a, mailbox('ana').id, { sent: 1 })
  const { id } = mailbox('support')
  const last = { ...support, key: 'last', address: 'last@acme.example', is_default: true }
  const changed = apply({ mailboxes: [last] })
  assert.deepEqual(
    changed.map(({ key, action }) => [key, action]),
    [
      ['last', 'created'],
      ['ana', 'removed'],
      ['support', 'deactivated'],
    ],
  )
  assert.deepEqual(changed[2]?.fields, {
    is_active: { from: true, to: false },
    is_default: { from: true, to: false },
    member: { from: 'bo@acme.example', to: null },
  })
  assert.deepEqual(
    rows('mailboxes').map(({ key, is_active, is_default, member_id, position }) => [
      key,
      is_active,
      is_default,
      member_id,
      position,
    ]),
    [
      ['last', 1, 1, null, 0],
      ['support', 0, 0, null, 1],
    ],
  )
  assert.deepEqual(
    show().mailboxes.map(({ key }) => key),
    ['last'],
  )
  assert.deepEqual([...mailboxes.addresses(a)], ['last@acme.example'])
  assert.deepEqual(apply({ mailboxes: [last] }), [])
  assert.deepEqual(
    apply({ mailboxes: [last, { ...support, is_default: false }] }).map(({ key, action }) => [key, action]),
    [['support', 'activated']],
  )
  assert.equal(mailbox('support').id, id)
})

test('a member whose mailbox is deactivated can have another one', (t) => {
  const { apply, use, mailboxes, row, a } = mailWorkshop(t)
  apply({ mailboxes: [ana] })
  use('ana')
  apply({ mailboxes: [{ ...ana, key: 'new' }] })
  assert.equal(mailboxes.ownOf(a, row('members', 'ana@acme.example').id as string)?.key, 'new')
})

test('one document drops a mailbox and the sequence that goes by it, and no sequence takes up one that is dropped', (t) => {
  const { apply } = mailWorkshop(t)
  const steps = [{ type: 'task', delay_s: 0, task_title: 'Call' }]
  const sequence = { key: 'intro', name: 'Intro', status: 'draft', mailbox: 'ana', steps }
  apply({ mailboxes: [ana], sequences: [sequence] })
  assert.deepEqual(
    apply({ mailboxes: [], sequences: [] }).map(({ section, action }) => [section, action]),
    [
      ['sequences', 'removed'],
      ['mailboxes', 'removed'],
    ],
  )
  apply({ mailboxes: [ana] })
  assert.deepEqual(
    thrownErrors(() => apply({ mailboxes: [support], sequences: [sequence] })),
    ['/sequences/0/mailbox unknown_mailbox'],
  )
})

test('another folder is read from its beginning, and so is what is asked for from an earlier time on', (t) => {
  const { apply, mailboxes, mailbox, a } = mailWorkshop(t)
  const given = (more: object) => ({ mailboxes: [{ ...support, imap: { ...imap, ...more } }] })
  apply(given({}))
  const { id } = mailbox('support')
  const since = Date.parse('2026-11-20T08:00:00Z')
  const read = { uid_validity: 7, last_uid: 42, since }
  const anew = { uid_validity: null, last_uid: 0, since }
  const after = (more: object) => {
    mailboxes.saveState(a, id, read)
    apply(given(more))
    const { uid_validity, last_uid, since } = mailboxes.state(a, id)
    return { uid_validity, last_uid, since }
  }
  assert.deepEqual(after({ port: 143, tls: 'starttls', save_sent: true }), read)
  assert.deepEqual(after({ folder: 'Sales' }), anew)
  assert.deepEqual(after({ folder: 'Sales', host: 'other.example' }), anew)
  assert.deepEqual(after({ folder: 'Sales', host: 'other.example', user: 'sales' }), anew)
  const same = { folder: 'Sales', host: 'other.example', user: 'sales' }
  const asked = { ...same, import_since: '2026-10-31' }
  assert.deepEqual(after(asked), { ...anew, since: Date.parse('2026-10-30T23:00:00Z') })
  assert.deepEqual(after(asked), read)
  assert.deepEqual(after(same), read)
})

test('another organisation sees none of it, whatever keys and addresses both have', (t) => {
  const { apply, mailboxes, a, b } = mailWorkshop(t)
  apply({ mailboxes: [support] })
  assert.equal(mailboxes.defaultOf(b), undefined)
  assert.deepEqual([...mailboxes.addresses(b)], [])
  assert.equal(mailboxes.byId(b, mailboxes.defaultOf(a)?.id as string), undefined)
})

const other = {
  provider: 'other',
  client_id: 'crm',
  token_url: 'https://login.acme.example/token',
  device_url: 'https://login.acme.example/device',
  scopes: ['mail', 'offline_access'],
}
const microsoft = { provider: 'microsoft', tenant: 'acme.onmicrosoft.com', client_id: 'b6f1' }
const TOKENS = { access: 'the-access-token', refresh: 'the-refresh-token', lifetime_s: 3600, refreshLifetime_s: null }

test('a mailbox with OAuth is shown with its client, and applied twice changes nothing', (t) => {
  const { apply, show } = settingsFixture(t)
  process.env[VARIABLE] = 'of the client'
  const google = { provider: 'google', client_id: 'g', client_secret_env: VARIABLE }
  const { device_url, ...rest } = other
  const page = { ...rest, authorization_url: 'http://127.0.0.1:8080/auth' }
  for (const oauth of [microsoft, { ...microsoft, flow: 'browser' }, google, other, page]) {
    apply({ mailboxes: [{ ...support, imap, oauth }] })
    assert.deepEqual(show().mailboxes[0]?.oauth, oauth)
    assert.deepEqual(apply(show()), [])
  }
  apply({ mailboxes: [{ ...support, oauth: null }] })
  assert.equal('oauth' in (show().mailboxes[0] as object), false)
})

test('what OAuth cannot be is refused with a pointer to every fault', (t) => {
  const { apply } = settingsFixture(t)
  const faults = (oauth: object, more: object = {}) =>
    thrownErrors(() => apply({ mailboxes: [{ ...support, ...more, oauth }] })).map((fault) =>
      fault.replace('/mailboxes/0/', ''),
    )
  assert.deepEqual(
    faults({ provider: 'microsoft', client_id: 'b6f1', client_secret_env: VARIABLE, token_url: other.token_url }),
    ['oauth/token_url not_of_provider', 'oauth/client_secret_env not_of_provider', 'oauth/tenant required'],
  )
  assert.deepEqual(faults({ provider: 'google', client_id: 'g', tenant: 'x', flow: 'device' }), [
    'oauth/tenant not_of_provider',
    'oauth/flow not_of_provider',
    'oauth/client_secret_env required',
  ])
  const { token_url, scopes, device_url, ...bare } = other
  assert.deepEqual(faults(bare), ['oauth/token_url required', 'oauth/scopes required', 'oauth/device_url one_of_two'])
  assert.deepEqual(faults({ ...other, authorization_url: device_url }), ['oauth/device_url one_of_two'])
  const both = { client_secret_env: VARIABLE, client_secret_file: '/secret' }
  assert.deepEqual(faults({ ...other, ...both }), ['oauth/client_secret_file two_sources'])
  assert.deepEqual(faults({ provider: 'yahoo', client_id: 'a b', more: 1 }), [
    'oauth/provider invalid_choice',
    'oauth/client_id invalid_text',
    'oauth/more unknown_field',
  ])
  for (const tenant of ['../common', 'a/b', '', '.x'])
    assert.deepEqual(faults({ ...microsoft, tenant }), ['oauth/tenant invalid_tenant'])
  for (const url of [
    'http://login.acme.example/',
    'https://a:b@x.example/',
    'https://x.example/#a',
    'ftp://x',
    'x',
    'http://127.0.0.1.evil.example/',
  ])
    assert.deepEqual(faults({ ...other, token_url: url }), ['oauth/token_url invalid_url'], url)
  for (const url of ['http://localhost/t', 'http://[::1]:80/t', 'https://10.0.0.7/t'])
    apply({ mailboxes: [{ ...support, oauth: { ...other, token_url: url } }] })
  for (const scopes of [[], ['a b'], Array(21).fill('a')]) assert.equal(faults({ ...other, scopes }).length, 1)
})

test('a mailbox has passwords or OAuth, and no token goes over a network in plain text', (t) => {
  const { apply } = settingsFixture(t)
  const faults = (given: object) =>
    thrownErrors(() => apply({ mailboxes: [{ ...support, oauth: other, ...given }] })).map((fault) =>
      fault.replace('/mailboxes/0/', ''),
    )
  assert.deepEqual(faults({ smtp: { ...smtp, password_env: VARIABLE }, imap: { ...imap, password_file: '/x' } }), [
    'smtp/password_env two_logins',
    'imap/password_file two_logins',
  ])
  assert.deepEqual(faults({ smtp: { ...smtp, tls: 'none' }, imap: { ...imap, tls: 'none' } }), [
    'smtp/tls plain_token',
    'imap/tls plain_token',
  ])
  const { user, ...anonymous } = smtp
  assert.deepEqual(faults({ smtp: anonymous, imap: null }), ['smtp/user required'])
  const here = { host: '127.0.0.1', port: 25, tls: 'none', user: 'crm' }
  apply({ mailboxes: [{ ...support, oauth: other, smtp: here }] })
  apply({ mailboxes: [{ ...support, oauth: other, smtp: { ...anonymous, tls: 'none' } }] }) // sends without a login
})

test('the secret of a client is stored like a password, and where it is missing that is said', (t) => {
  const { apply, store, a, mailbox } = mailWorkshop(t)
  const { clientSecret } = mailboxSecrets(store)
  const oauth = { ...other, client_secret_env: VARIABLE }
  const given = { mailboxes: [{ ...support, oauth }] }
  assert.throws(() => apply(given), {
    message: `/mailboxes/0/oauth/client_secret_env must name an environment variable with a client secret: ${VARIABLE} is not set.`,
  })
  process.env[VARIABLE] = 'of the client'
  assert.deepEqual(apply(given)[0]?.fields['oauth.client_secret'], { from: null, to: 'stored' })
  assert.equal(clientSecret(a, mailbox('support')), 'of the client')
  delete process.env[VARIABLE]
  assert.deepEqual(apply(given), [], 'the stored one stays')
  process.env[VARIABLE] = 'another'
  assert.deepEqual(told(apply(given)), [
    ['support', 'updated', { 'oauth.client_secret': { from: 'stored', to: 'another one' } }],
  ])
  apply({ mailboxes: [{ ...support, oauth: other }] })
  assert.equal(clientSecret(a, mailbox('support')), null)
})

test('changing between passwords and OAuth leaves nothing of the other behind', (t) => {
  const { apply, store, a, mailbox, smtpPassword, mailboxes } = mailWorkshop(t)
  const { connect, setPassword, passwordSides, withOAuth } = mailboxSettings(store)
  process.env[VARIABLE] = 'secret'
  apply({ mailboxes: [byVariable] })
  assert.throws(() => withOAuth(a, 'support'), { code: 'no_oauth' })
  const [change] = apply({ mailboxes: [{ ...support, oauth: other }] })
  assert.deepEqual(change?.fields['smtp.password'], { from: 'stored', to: null })
  assert.throws(() => smtpPassword('support'), { code: 'not_connected' })
  assert.throws(() => passwordSides(mailbox('support')), {
    code: 'no_password_needed',
    message: 'The mailbox "support" needs no password: it has oauth. Sign in with "dealbox mailbox connect support".',
  })
  assert.throws(() => store.transaction(() => setPassword(a, 'support', 'secret')), { code: 'no_password_needed' })
  const before = mailbox('support')
  store.transaction(() => connect(a, before, TOKENS))
  assert.equal(mailbox('support').version, before.version + 1, 'a running server notices')
  assert.equal(mailboxes.disconnected(a, mailbox('support')), undefined)
  const secret = { oauth: { ...other, client_secret_env: VARIABLE } }
  assert.deepEqual(Object.keys(apply({ mailboxes: [{ ...support, ...secret }] })[0]?.fields ?? {}), [
    'oauth',
    'oauth.client_secret',
  ])
  assert.equal(mailboxes.disconnected(a, mailbox('support')), undefined, 'the same client')
  for (const changed of [{ client_id: 'x' }, { token_url: 'https://x.example/' }, { scopes: ['mail'] }]) {
    apply({ mailboxes: [{ ...support, oauth: other }] })
    store.transaction(() => connect(a, mailbox('support'), TOKENS))
    const [lost] = apply({ mailboxes: [{ ...support, oauth: { ...other, ...changed } }] })
    assert.deepEqual(lost?.fields['oauth.connection'], { from: 'stored', to: null })
    assert.ok(mailboxes.disconnected(a, mailbox('support')))
  }
  assert.throws(() => store.transaction(() => connect(a, before, TOKENS)), { code: 'settings_changed' })
  const short = { ...TOKENS, refresh: null }
  assert.throws(() => store.transaction(() => connect(a, mailbox('support'), short)), { code: 'no_refresh_token' })
  apply({ mailboxes: [byVariable] })
  assert.equal(store.db.prepare('SELECT count(*) FROM mailbox_grants').pluck().get(), 0)
})
