import { base64Lines, encodeText, quotedPrintable, SAMPLES, wordB, wordQ, wordsSplit } from './encode.ts'
import { head, lines, type Maker, multipart, type Part, type Setting } from './mail.ts'

// Mails as the programs of people write them.

const SUBJECT = 'Our offer of Monday'

const textPart = (body: string): Part => ({ type: 'text/plain; charset=utf-8', body })
const htmlPart = (body: string): Part => ({ type: 'text/html; charset=utf-8', body })
const filePart = (name: string, bytes: Buffer, type = 'application/pdf'): Part => ({
  type: `${type}; name="${name}"`,
  body: base64Lines(bytes),
  more: ['Content-Transfer-Encoding: base64', `Content-Disposition: attachment; filename="${name}"`],
})
const mixed = (setting: Setting, parts: Part[], type = 'multipart/mixed', ...more: string[]): string =>
  `${head(setting, SUBJECT, `Content-Type: ${type}; boundary="=_b${setting.n}"`, ...more)}\r\n${multipart(`=_b${setting.n}`, parts)}`
const alternative = (text: string, html: string): Part => ({
  type: 'multipart/alternative; boundary=alt',
  body: multipart('alt', [textPart(text), htmlPart(html)]),
})
const basic = (setting: Setting) => ({ from: setting.from, subject: SUBJECT, messageId: setting.id, automatic: null })

/** Each of them comes in a thousand mails, which have ten of a kind. */
const inTurn = <Item>({ n }: Setting, all: readonly Item[]): Item => all[n % all.length] as Item

/** One text in each charset and each transfer encoding, with a subject of the same. */
const inCharsets: Maker = (setting) => {
  const { label, decoder, text } = SAMPLES[setting.n % SAMPLES.length]!
  const bytes = encodeText(`${text}\r\nBye\r\n`, decoder)
  const way = setting.random.pick(['8bit', 'base64', 'quoted-printable'] as const)
  const body = {
    '8bit': bytes.toString('latin1'),
    base64: base64Lines(bytes),
    'quoted-printable': quotedPrintable(bytes),
  }[way]
  const word = setting.random.pick([wordB, wordQ])
  const top = head(
    setting,
    word(text, label, decoder),
    `Content-Type: text/plain; charset="${label}"`,
    `Content-Transfer-Encoding: ${way}`,
  )
  return {
    source: Buffer.from(`${top}\r\n${body}`, 'latin1'),
    expect: { ...basic(setting), subject: text, text, files: 0 },
  }
}

/** Bytes without any label, also in the subject. */
const unlabelled: Maker = (setting) => {
  const { decoder, text } = setting.random.pick(
    SAMPLES.filter(({ label }) => ['utf-8', 'windows-1251', 'iso-8859-1', 'koi8-r', 'shift_jis'].includes(label)),
  )
  const label = setting.random.pick(['', '; charset=unknown-8bit', '; charset=x-none-such', '; charset=us-ascii'])
  const said = decoder === 'shift_jis' || decoder === 'koi8-r' ? text.repeat(2) : text
  const body = encodeText(said, decoder).toString('latin1')
  const top = head(setting, body, `Content-Type: text/plain${label}`, 'Content-Transfer-Encoding: 8bit')
  const isWritten = label !== '; charset=us-ascii' || !['shift_jis', 'euc-jp'].includes(decoder)
  return {
    source: Buffer.from(`${top}\r\n${body}\r\n`, 'latin1'),
    expect: { ...basic(setting), ...(isWritten ? { subject: said, text: said } : { subject: undefined as never }) },
  }
}

/** Encodings that TextDecoder does not know. */
const rareCharsets: Maker = (setting) => {
  const [label, bytes, text] = inTurn(setting, [
    ['utf-7', 'Gr+APwA3w-e aus K+APY-ln', 'Grüße aus Köln'],
    ['cp850', 'Gr\x81\xe1e aus K\x94ln', 'Grüße aus Köln'],
    ['ibm437', 'Gr\x81\xe1e', 'Grüße'],
    ['IBM852', '\xa9\xa5\xab\xa7', 'ęąźž'],
    ['hz-gb-2312', '~{<:Ky2;S{#,NpJ)l6HK!#~}bye', '己所不欲，勿施於人。bye'],
    ['iso-2022-jp', '\x1b$B$3$s$K$A$O\x1b(B', 'こんにちは'],
    ['iso-2022-kr', '\x1b$)C\x0e>H3g\x0f bye', '안녕 bye'],
    ['utf-16', '\xff\xfeH\x00i\x00 \x00\xe4\x00', 'Hi ä'],
  ] as const)
  const top = head(setting, SUBJECT, `Content-Type: text/plain; charset=${label}`, 'Content-Transfer-Encoding: base64')
  return { source: `${top}\r\n${base64Lines(Buffer.from(bytes, 'latin1'))}\r\n`, expect: { ...basic(setting), text } }
}

const mislabelled: Maker = (setting) => {
  const [label, bytes, text] = inTurn(setting, [
    ['iso-8859-1', Buffer.from('Grüße'), 'Grüße'],
    ['utf-8', Buffer.from('Gr\xfc\xdfe aus K\xf6ln', 'latin1'), 'Grüße aus Köln'],
    ['us-ascii', Buffer.from('Déjà', 'latin1'), 'Déjà'],
    ['utf-16', Buffer.from('Plain'), 'Plain'],
    ['iso-8859-2', Buffer.from('Grüße'), 'Grüße'],
    ['koi8-r', Buffer.from('Добрый день'), 'Добрый день'],
    ['gb2312', Buffer.from('Grüße, Ñandú'), 'Grüße, Ñandú'],
  ] as const)
  const top = head(setting, SUBJECT, `Content-Type: text/plain; charset=${label}`, 'Content-Transfer-Encoding: base64')
  return { source: `${top}\r\n${base64Lines(bytes)}\r\n`, expect: { ...basic(setting), text } }
}

export const shapeMakers: [string, Maker][] = [
  ...Array.from({ length: 6 }, (_, n): [string, Maker] => [`charset ${n}`, inCharsets]),
  ['no label', unlabelled],
  ['no label again', unlabelled],
  ['a rare charset', rareCharsets],
  ['a wrong label', mislabelled],
  [
    'a line or two',
    (s) => ({
      source: `${head(s, SUBJECT)}\r\nYes, that suits us.\r\n`,
      expect: { ...basic(s), text: 'Yes, that suits us.', files: 0 },
    }),
  ],
  [
    'text and HTML, as from the web',
    (s) => ({
      source: mixed(s, [textPart('Hello'), htmlPart('<div dir="ltr">Hello <b>you</b></div>')], 'multipart/alternative'),
      expect: { ...basic(s), text: 'Hello', html: '<b>you</b>', files: 0 },
    }),
  ],
  [
    'HTML alone',
    (s) => ({
      source: `${head(s, SUBJECT, 'Content-Type: text/html')}\r\n<meta charset="windows-1251"><p>Hello</p>\r\n`,
      expect: { ...basic(s), text: '', html: '<p>Hello</p>', files: 0 },
    }),
  ],
  [
    'Outlook with an image',
    (s) => ({
      source: mixed(
        s,
        [
          alternative('Hello', '<img src="cid:image001.png@01D">'),
          {
            ...filePart('image001.png', s.random.bytes(300), 'image/png'),
            more: ['Content-ID: <image001.png@01D>', 'Content-Transfer-Encoding: base64'],
          },
        ],
        'multipart/related',
        'Thread-Topic: Offer',
      ),
      expect: { ...basic(s), text: 'Hello', html: 'cid:image001', files: 1, names: ['image001.png'] },
    }),
  ],
  [
    'Apple: text, file, text',
    (s) => {
      const bytes = s.random.bytes(500)
      return {
        source: mixed(
          s,
          [textPart('Before'), filePart('plan.pdf', bytes), textPart('After')],
          'multipart/mixed',
          'X-Mailer: Apple Mail',
        ),
        expect: { ...basic(s), text: 'Before\nAfter', files: 1, content: bytes },
      }
    },
  ],
  [
    'Apple: HTML in parts beside one text',
    (s) => ({
      source: mixed(
        s,
        [
          textPart('All of it'),
          {
            type: 'multipart/mixed; boundary=in',
            body: multipart('in', [
              htmlPart('<p>One</p>'),
              filePart('a.pdf', s.random.bytes(9)),
              htmlPart('<p>Two</p>'),
            ]),
          },
        ],
        'multipart/alternative',
      ),
      expect: { ...basic(s), text: 'All of it', html: '<p>One</p>\n<p>Two</p>', files: 1 },
    }),
  ],
  [
    'a footer of the list',
    (s) => ({
      source: mixed(s, [alternative('Hello', '<p>Hello</p>'), textPart('-- a footer & more')]),
      expect: { ...basic(s), text: 'Hello\n-- a footer & more', html: '-- a footer &amp; more', files: 0 },
    }),
  ],
  [
    'a blank text beside HTML',
    (s) => ({
      source: mixed(s, [textPart(' '), htmlPart('<p>Here</p>')], 'multipart/alternative'),
      expect: { ...basic(s), text: '', html: '<p>Here</p>' },
    }),
  ],
  [
    'Thunderbird, flowed',
    (s) => ({
      source: `${head(s, SUBJECT, 'Content-Type: text/plain; charset=utf-8; format=flowed')}\r\n${lines('This line goes ', 'on here.', '> quoted and ', '> on', '-- ', 'Ana')}`,
      expect: { ...basic(s), text: 'This line goes on here.\n> quoted and on\n-- \nAna' },
    }),
  ],
  [
    'flowed without its spaces',
    (s) => ({
      source: `${head(s, SUBJECT, 'Content-Type: text/plain; charset=utf-8; format=flowed; delsp=yes')}\r\n${lines('日本 ', '語')}`,
      expect: { ...basic(s), text: '日本語' },
    }),
  ],
  [
    'mutt, signed with PGP',
    (s) => ({
      source: mixed(
        s,
        [
          textPart('Signed words'),
          {
            type: 'application/pgp-signature; name="signature.asc"',
            body: '-----BEGIN PGP SIGNATURE-----\r\n\r\nabcd\r\n-----END PGP SIGNATURE-----',
          },
        ],
        'multipart/signed; micalg=pgp-sha512; protocol="application/pgp-signature"',
      ),
      expect: { ...basic(s), text: 'Signed words', files: 1, names: ['signature.asc'] },
    }),
  ],
  [
    'encrypted with PGP',
    (s) => ({
      source: mixed(
        s,
        [
          { type: 'application/pgp-encrypted', body: 'Version: 1' },
          { type: 'application/octet-stream; name="encrypted.asc"', body: '-----BEGIN PGP MESSAGE-----' },
        ],
        'multipart/encrypted; protocol="application/pgp-encrypted"',
      ),
      expect: { ...basic(s), text: '', files: 2, names: ['version.asc', 'encrypted.asc'] },
    }),
  ],
  [
    'signed with S/MIME',
    (s) => ({
      source: mixed(
        s,
        [
          textPart('Signed'),
          {
            type: 'application/pkcs7-signature',
            body: base64Lines(s.random.bytes(200)),
            more: ['Content-Transfer-Encoding: base64'],
          },
        ],
        'multipart/signed; protocol="application/pkcs7-signature"',
      ),
      expect: { ...basic(s), text: 'Signed', names: ['smime.p7s'] },
    }),
  ],
  [
    'encrypted with S/MIME',
    (s) => ({
      source: `${head(s, SUBJECT, 'Content-Type: application/pkcs7-mime; smime-type=enveloped-data', 'Content-Transfer-Encoding: base64')}\r\n${base64Lines(s.random.bytes(400))}\r\n`,
      expect: { ...basic(s), text: '', names: ['smime.p7m'] },
    }),
  ],
  [
    'winmail.dat',
    (s) => ({
      source: mixed(s, [
        textPart('See the file'),
        {
          type: 'application/ms-tnef',
          body: base64Lines(s.random.bytes(100)),
          more: ['Content-Transfer-Encoding: base64'],
        },
      ]),
      expect: { ...basic(s), names: ['winmail.dat'] },
    }),
  ],
  [
    'an invitation twice',
    (s) => {
      const calendar = lines('BEGIN:VCALENDAR', 'METHOD:REQUEST', 'END:VCALENDAR').trim()
      const parts: Part[] = [
        {
          type: 'multipart/alternative; boundary=c',
          body: multipart('c', [
            textPart('Invitation'),
            { type: 'text/calendar; charset=utf-8; method=REQUEST', body: calendar },
          ]),
        },
        filePart('invite.ics', Buffer.from(calendar), 'application/ics'),
      ]
      return { source: mixed(s, parts), expect: { ...basic(s), text: 'Invitation', files: 1, names: ['invite.ics'] } }
    },
  ],
  [
    'forwarded as a mail',
    (s) => ({
      source: mixed(s, [
        textPart('See below'),
        { type: 'message/rfc822', body: `${head({ ...s, id: '<other@x.example>' }, 'Inner')}\r\nInner words` },
      ]),
      expect: { ...basic(s), text: 'See below', files: 1, names: ['message.eml'] },
    }),
  ],
  [
    'a forward of a bounce',
    (s) => ({
      source: mixed(s, [
        textPart('What is this?'),
        {
          type: 'message/rfc822',
          body: lines(
            'From: MAILER-DAEMON@x.test',
            'Subject: failure notice',
            'Content-Type: multipart/report; report-type=delivery-status; boundary=zz',
            '',
            '--zz',
            'Content-Type: message/delivery-status',
            '',
            'Final-Recipient: rfc822; a@b.example',
            'Action: failed',
            '--zz--',
          ),
        },
      ]),
      expect: { ...basic(s), files: 1 },
    }),
  ],
  [
    'a digest',
    (s) => ({
      source: mixed(
        s,
        [{ type: '', body: 'x' }].map(() => ({ type: 'message/rfc822', body: lines('Subject: one', '', 'first') })),
        'multipart/digest',
      ),
      expect: { ...basic(s), names: ['message.eml'] },
    }),
  ],
  [
    'a subject in pieces',
    (s) => ({
      source: `${head(s, wordsSplit('Übung für Köln'))}\r\nHi\r\n`,
      expect: { ...basic(s), subject: 'Übung für Köln' },
    }),
  ],
  [
    'a subject that was cut',
    (s) => ({
      source: `${head(s, '=?utf-8?Q?Gr=C3=BC=C3=9Fe_und')}\r\nHi\r\n`,
      expect: { ...basic(s), subject: 'Grüße und' },
    }),
  ],
  [
    'a subject with a question',
    (s) => ({
      source: `${head(s, '=?utf-8?Q?Wie geht=27s? Gut?=')}\r\nHi\r\n`,
      expect: { ...basic(s), subject: "Wie geht's? Gut" },
    }),
  ],
  [
    'names of files in all ways',
    (s) => {
      const [field, name] = inTurn(s, [
        ["filename*=utf-8''Gr%C3%BC%C3%9Fe.pdf", 'Grüße.pdf'],
        ['filename*0*=utf-8\'\'Gr%C3; filename*1*=%BC%C3%9F; filename*2="e.pdf"', 'Grüße.pdf'],
        [`filename="${wordB('Grüße.pdf')}"`, 'Grüße.pdf'],
        ['filename="C:\\Users\\a; b.pdf"', 'a; b.pdf'],
        ['filename="../../etc/passwd"', 'passwd'],
        ['filename=plan(1).pdf', 'plan(1).pdf'],
        ['filename=".."', 'attachment.pdf'],
        ["filename*=iso-8859-5'ru'%B4%DE%DC.pdf", 'Дом.pdf'],
        [`filename="${'x'.repeat(300)}.pdf"`, `${'x'.repeat(251)}.pdf`],
        ['filename="in\u202Efdp.exe"', 'infdp.exe'],
      ] as const)
      return {
        source: mixed(s, [
          textPart('Hi'),
          { type: 'application/pdf', body: 'x', more: [`Content-Disposition: attachment; ${field}`] },
        ]),
        expect: { ...basic(s), names: [name] },
      }
    },
  ],
  [
    'a note that somebody attached',
    (s) => ({
      source: mixed(s, [
        textPart('Body'),
        {
          type: 'text/plain; name="note.txt"',
          body: 'Note',
          more: ['Content-Disposition: inline; filename="note.txt"'],
        },
      ]),
      expect: { ...basic(s), text: 'Body', names: ['note.txt'] },
    }),
  ],
  [
    'an answer from a telephone',
    (s) => ({
      source: `${head(s, 'Re: Our offer of Monday', `In-Reply-To: <x.${s.n}@crm.example>`, `References: <first@crm.example>,\r\n <x.${s.n}\r\n @crm.example>`)}\r\nYes\r\n\r\nSent from my telephone\r\n`,
      expect: { ...basic(s), subject: 'Re: Our offer of Monday', text: 'Sent from my telephone' },
    }),
  ],
  [
    'an answer that quotes a bounce',
    (s) => ({
      source: `${head(s, 'Re: Undelivered Mail Returned to Sender', 'In-Reply-To: <x@y.example>')}\r\n${lines('Look at this, please. I was out of office.', '> This is the mail system. Your message could not be delivered.', '> <gone@shop.example>: 550 5.1.1 User unknown', '> Final-Recipient: rfc822; gone@shop.example')}`,
      expect: { ...basic(s), subject: 'Re: Undelivered Mail Returned to Sender' },
    }),
  ],
  [
    'an automatic answer',
    (s) => {
      const [subject, field] = inTurn(s, [
        ['Away', 'Auto-Submitted: auto-replied'],
        ['Away', 'X-Autoreply: yes'],
        ['Away', 'Precedence: auto_reply'],
        ['Automatic reply: Our offer', 'X-Auto-Response-Suppress: All'],
        ['Automatische Antwort: Our offer', 'In-Reply-To: <x@y.example>'],
        [wordQ('Réponse automatique : offre'), 'References: <x@y.example>'],
        ['Abwesenheit: Our offer', 'Return-Path: <>'],
      ] as const)
      return {
        source: `${head(s, subject, field)}\r\nBack on Monday.\r\n`,
        expect: { from: s.from, automatic: 'reply' },
      }
    },
  ],
  [
    'a person who says the same',
    (s) => {
      const [subject, field] = inTurn(s, [
        ['Out of office: who takes my calls?', 'X-Mailer: A'],
        ['Lunch', 'X-Auto-Response-Suppress: All'],
        ['Re: Automatic reply: Our offer', 'In-Reply-To: <x@y.example>'],
        ['Lunch', 'Auto-Submitted: no'],
        ['Lunch', 'Return-Path: <>'],
      ] as const)
      return { source: `${head(s, subject, field)}\r\nHello.\r\n`, expect: { from: s.from, automatic: null } }
    },
  ],
  [
    'one of many',
    (s) => ({
      source: `${head(s, SUBJECT, s.random.pick(['List-Id: <news.shop.example>', 'List-Unsubscribe-Post: List-Unsubscribe=One-Click', 'Precedence: bulk', 'Precedence: list', 'Precedence: junk']), ...s.random.pick([[], ['Auto-Submitted: auto-generated']]))}\r\nNews\r\n`,
      expect: { ...basic(s), automatic: 'bulk' },
    }),
  ],
  [
    'a read receipt',
    (s) => ({
      source: mixed(
        s,
        [
          textPart('It was read.'),
          {
            type: 'message/disposition-notification',
            body: lines(
              'Final-Recipient: rfc822;a@b.example',
              'Disposition: manual-action/MDN-sent-manually; displayed',
            ),
          },
        ],
        'multipart/report; report-type=disposition-notification',
      ),
      expect: { ...basic(s), automatic: 'reply', recipient: null },
    }),
  ],
  [
    'names that are hard to read',
    (s) => ({
      source: `${lines(`Message-ID: ${s.id}`, `From: ${wordB('Ruiz, Ana <x@evil.example>')} <${s.from}>`, 'To: "Doe, \\"J\\"" <j@x.example>, undisclosed-recipients:;, broken@, <also@X.EXAMPLE>', 'Cc: Team: a@x.example, b@x.example;', `Subject: ${SUBJECT}`)}\r\nHi\r\n`,
      expect: { ...basic(s), text: 'Hi' },
    }),
  ],
]
