import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { quotedIn } from '../../../../src/lib/mail/parse/forwarded.ts'
import { readMail } from '../../../../src/lib/mail/parse/read.ts'

// How mail programs forward a mail, in the language of their user.

const FORMS: Record<string, string[]> = {
  Gmail: [
    '---------- Forwarded message ---------',
    'From: Eva Ruiz <eva@home.example>',
    'Date: Fri, 20 Nov 2026 at 09:00',
    'Subject: Pump',
    'To: <ana@acme.example>',
    '',
    '',
  ],
  'Gmail in German': [
    '---------- Weitergeleitete Nachricht ---------',
    'Von: Eva Ruiz <eva@home.example>',
    'Datum: Fr., 20. Nov. 2026 um 09:00 Uhr',
    'Betreff: Pump',
    'An: <ana@acme.example>',
    '',
  ],
  Outlook: [
    '________________________________',
    'From: Eva Ruiz <eva@home.example>',
    'Sent: Friday, November 20, 2026 9:00 AM',
    'To: Ana <ana@acme.example>; Ben',
    ' <ben@acme.example>',
    'Subject: Pump',
    '',
  ],
  'Outlook in German': [
    'Von: Eva Ruiz [mailto:eva@home.example]',
    'Gesendet: Freitag, 20. November 2026 09:00',
    'An: Ana <ana@acme.example>',
    'Betreff: Pump',
    '',
  ],
  'Outlook on the web, with stars': [
    '*From:* Eva Ruiz <eva@home.example>',
    '*Sent:* Friday, November 20, 2026 9:00 AM',
    '*To:* Ana <ana@acme.example>',
    '*Subject:* Pump',
    '',
  ],
  'Apple Mail, quoted': [
    'Begin forwarded message:',
    '',
    '> From: Eva Ruiz <eva@home.example>',
    '> Subject: Pump',
    '> Date: 20 November 2026 at 09:00:00 CET',
    '> To: ana@acme.example',
    '> ',
  ],
  Thunderbird: [
    '-------- Forwarded Message --------',
    'Subject: 	Pump',
    'Date: 	Fri, 20 Nov 2026 09:00:00 +0100',
    'From: 	Eva Ruiz <eva@home.example>',
    'To: 	ana@acme.example',
    '',
  ],
  'in French': [
    'De : Eva Ruiz <eva@home.example>',
    'Envoyé : vendredi 20 novembre 2026 09:00',
    'À : Ana <ana@acme.example>',
    'Objet : Pump',
    '',
  ],
  'in Spanish': [
    'De: Eva Ruiz <eva@home.example>',
    'Enviado: viernes',
    'Para: Ana <ana@acme.example>',
    'Asunto: Pump',
    '',
  ],
  'in Italian': [
    'Da: Eva Ruiz <eva@home.example>',
    'Inviato: venerdì',
    'A: Ana <ana@acme.example>',
    'Oggetto: Pump',
    '',
  ],
  'in Dutch': [
    'Van: Eva Ruiz <eva@home.example>',
    'Verzonden: vrijdag',
    'Aan: Ana <ana@acme.example>',
    'Onderwerp: Pump',
    '',
  ],
  'in Polish': ['Od: Eva Ruiz <eva@home.example>', 'Wysłano: piątek', 'Do: Ana <ana@acme.example>', 'Temat: Pump', ''],
  'in Japanese': [
    '差出人: Eva Ruiz <eva@home.example>',
    '送信日時: 2026年11月20日',
    '宛先: ana@acme.example',
    '件名: Pump',
    '',
  ],
  'in Chinese': [
    '发件人：Eva Ruiz <eva@home.example>',
    '发送时间：2026年11月20日',
    '收件人：ana@acme.example',
    '主题：Pump',
    '',
  ],
  'in Russian': ['От: Eva Ruiz <eva@home.example>', 'Дата: 20 ноября', 'Кому: ana@acme.example', 'Тема: Pump', ''],
}

describe('a mail that is quoted below a block of its fields is read', () => {
  for (const [name, block] of Object.entries(FORMS))
    test(name, () => {
      const isQuoted = block.some((line) => line.startsWith('> '))
      const body = ['The pump leaks.', '', 'What now?'].map((line) => (isQuoted ? `> ${line}` : line))
      const found = quotedIn(['Can you?', 'Ana', '', ...block, ...body].join('\n'))
      assert.deepEqual(found?.from, { email: 'eva@home.example', name: 'Eva Ruiz' })
      assert.deepEqual([found?.subject, found?.remark], ['Pump', 'Can you?\nAna'])
      assert.equal(found?.text, 'The pump leaks.\n\nWhat now?')
    })

  test('with an address alone, and without a remark', () => {
    const found = quotedIn('From: eva@home.example\nDate: x\nSubject: Pump\n\nLeaks.')
    assert.deepEqual(found?.from, { email: 'eva@home.example', name: null })
    assert.deepEqual([found?.remark, found?.text], ['', 'Leaks.'])
  })
})

describe('what is no forwarded mail is none', () => {
  const texts: Record<string, string> = {
    'a sender without an address': 'From: Eva Ruiz\nDate: x\nSubject: Pump\n\nLeaks.',
    'two fields': 'From: eva@home.example\nSubject: Pump\n\nLeaks.',
    'a sentence with such words': 'From: here to there\nTo: the point\nDate: none\nSubject: to change',
    'an answer': 'Yes.\n\nOn Friday Eva Ruiz <eva@home.example> wrote:\n> The pump leaks.',
  }
  for (const [name, text] of Object.entries(texts)) test(name, () => assert.equal(quotedIn(text), null))
})

const attached = (...parts: string[]): Promise<Awaited<ReturnType<typeof readMail>>> =>
  readMail(
    Buffer.from(
      [
        'From: ana@acme.example',
        'Subject: Fwd: Pump',
        'Content-Type: multipart/mixed; boundary=b',
        '',
        '--b',
        '',
        'Can you?',
        ...parts.flatMap((part) => ['--b', 'Content-Type: message/rfc822', '', part]),
        '--b--',
      ].join('\r\n'),
    ),
  )
const INNER =
  'Message-ID: <q@home.example>\r\nFrom: Eva Ruiz <eva@home.example>\r\nSubject: Pump\r\n\r\nThe pump leaks.\r\n'

test('an attached mail is read, with its id', async () => {
  const { forwarded } = await attached(INNER)
  assert.deepEqual(forwarded, {
    messageId: '<q@home.example>',
    from: { email: 'eva@home.example', name: 'Eva Ruiz' },
    subject: 'Pump',
    date: null,
    text: 'The pump leaks.',
    remark: 'Can you?',
  })
})

test('of several attached mails none is the forwarded one', async () => {
  assert.equal((await attached(INNER, INNER)).forwarded, null)
})
