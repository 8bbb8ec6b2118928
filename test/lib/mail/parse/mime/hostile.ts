import { base64Lines } from './encode.ts'
import { head, lines, type Maker, multipart, type Setting } from './mail.ts'

// Mails that are broken, and those that are built to break something.

const basic = ({ id, from }: Setting) => ({ messageId: id, from })

function nested(setting: Setting, depth: number): string {
  let source = head(setting, 'Deep', 'Content-Type: multipart/mixed; boundary=b0')
  for (let level = 0; level < depth; level++)
    source += lines(
      '',
      `--b${level}`,
      level === depth - 1 ? 'Content-Type: text/plain' : `Content-Type: multipart/mixed; boundary=b${level + 1}`,
    )
  return `${source}\r\nAt the bottom\r\n`
}

export const hostileMakers: [string, Maker][] = [
  [
    'empty',
    () => ({ source: '', expect: { messageId: null, from: null, subject: null, text: '', files: 0, automatic: null } }),
  ],
  [
    'a head alone',
    (s) => ({ source: head(s, 'Head').trimEnd(), expect: { ...basic(s), subject: 'Head', text: '', files: 0 } }),
  ],
  ['no head', () => ({ source: '\r\nOnly words\r\n', expect: { text: 'Only words', subject: null } })],
  ['words that are no head', () => ({ source: 'Hello there\r\nthis is no mail\r\n', expect: { text: 'Hello there' } })],
  [
    'LF alone',
    (s) => ({
      source: `${head(s, 'LF')}\r\nOne\r\nTwo`.replaceAll('\r', ''),
      expect: { ...basic(s), text: 'One\nTwo' },
    }),
  ],
  [
    'CR alone',
    (s) => ({
      source: `${head(s, 'CR')}\r\nOne\r\nTwo`.replaceAll('\n', ''),
      expect: { ...basic(s), subject: 'CR', text: 'One\nTwo' },
    }),
  ],
  [
    'CR CR LF',
    (s) => ({
      source: `${head(s, 'CR')}\r\nOne\r\nTwo`.replaceAll('\r', '\r\r'),
      expect: { ...basic(s), subject: 'CR', text: 'One\nTwo' },
    }),
  ],
  [
    'of a mailbox file',
    (s) => ({
      source: `From ana Sun Nov 22 08:00:00 2026\r\n${head(s, 'Box')}\r\nHi\r\n`,
      expect: { ...basic(s), subject: 'Box', text: 'Hi' },
    }),
  ],
  ['200 multiparts', (s) => ({ source: nested(s, 200), expect: { ...basic(s), text: 'At the bottom' } })],
  ['300 multiparts', (s) => ({ source: nested(s, 300), expect: basic(s) })],
  [
    '10,000 lines of head',
    (s) => ({
      source: `${lines(...Array.from({ length: 10_000 }, (_, n) => `X-${n}: y`))}${head(s, 'Last')}\r\nHi`,
      expect: { ...basic(s), subject: 'Last', text: 'Hi' },
    }),
  ],
  [
    'a line of 1 MiB',
    (s) =>
      s.n % 3 > 0
        ? { source: `${head(s, 'Short', `X-Long: ${'x'.repeat(1000)}`)}\r\nHi`, expect: basic(s) }
        : { source: `${head(s, `Long ${'x'.repeat(1_048_576)}`)}\r\nHi`, expect: { ...basic(s), text: 'Hi' } },
  ],
  [
    'thousands of parts',
    (s) => ({
      source: `${head(s, 'Parts', 'Content-Type: multipart/mixed; boundary=p')}\r\n${multipart(
        'p',
        Array.from({ length: s.n % 5 === 0 ? 3000 : 150 }, (_, n) => ({ type: 'image/png', body: `${n}` })),
      )}`,
      expect: { ...basic(s), files: 100, text: '' },
    }),
  ],
  [
    'no end',
    (s) => ({
      source: `${head(s, 'Cut', 'Content-Type: multipart/mixed; boundary=p')}\r\n--p\r\nContent-Type: text/plain\r\n\r\nFirst\r\n--p\r\nContent-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n\r\niVBOR`,
      expect: { ...basic(s), text: 'First', files: 1 },
    }),
  ],
  [
    'no boundary at all',
    (s) => ({
      source: `${head(s, 'None', 'Content-Type: multipart/mixed; boundary=never')}\r\nJust text\r\n`,
      expect: { ...basic(s), text: 'Just text', files: 0 },
    }),
  ],
  [
    'a boundary that is not named',
    (s) => ({
      source: `${head(s, 'Unnamed', 'Content-Type: multipart/alternative')}\r\n${multipart('here', [
        { type: 'text/plain', body: 'Found' },
        { type: 'text/html', body: '<p>Found</p>' },
      ])}`,
      expect: { ...basic(s), text: 'Found', html: '<p>Found</p>' },
    }),
  ],
  [
    'one boundary in two',
    (s) => ({
      source: `${head(s, 'Same', 'Content-Type: multipart/mixed; boundary=p')}\r\n--p\r\nContent-Type: multipart/alternative; boundary=p\r\n\r\n--p\r\nContent-Type: text/plain\r\n\r\nInner\r\n--p--\r\n--p\r\n\r\nOuter\r\n--p--\r\n`,
      expect: { ...basic(s), text: 'Inner\nOuter' },
    }),
  ],
  [
    'broken base64',
    (s) => ({
      source: `${head(s, 'B', 'Content-Transfer-Encoding: base64')}\r\nSGVs!bG8\r\n*\r\ngd29ybGQ\r\n`,
      expect: { ...basic(s), text: 'Hello world' },
    }),
  ],
  [
    'padding on each line',
    (s) => ({
      source: `${head(s, 'B', 'Content-Transfer-Encoding: BASE64')}\r\nSGVsbG8=\r\nIHdvcmxk\r\nIQ==\r\n`,
      expect: { ...basic(s), text: 'Hello world!' },
    }),
  ],
  [
    'broken quoted-printable',
    (s) => ({
      source: `${head(s, 'Q', 'Content-Transfer-Encoding: quoted-printable')}\r\n100=% =zz soft=  \r\nly end=\r\n`,
      expect: { ...basic(s), text: '100=% =zz softly end' },
    }),
  ],
  [
    'control characters',
    (s) => ({
      source: `${head(s, 'A\0B\u0007C')}\r\nnul\0here\r\n`,
      expect: { ...basic(s), text: 'nulhere', subject: 'A B C' },
    }),
  ],
  [
    'marks without end',
    (s) => ({
      source: `${head(s, `Z${'\u0301'.repeat(500)}`, 'Content-Type: text/plain; charset=utf-8')}\r\nZ${'\u0301'.repeat(5000)}\r\n`,
      expect: { ...basic(s), text: 'Ź' },
    }),
  ],
  [
    'types that are none',
    (s) => ({
      source: `${head(s, 'T', s.random.pick(['Content-Type: text', 'Content-Type: ;;;', 'Content-Type: (a comment', 'Content-Type: foo bar/baz', 'Content-Type:']))}\r\nStill text\r\n`,
      expect: { ...basic(s), text: 'Still text', files: 0 },
    }),
  ],
  [
    'a time that is none',
    (s) => ({
      source: `${head({ ...s, date: s.random.pick(['yesterday', '', '32 Foo 2026', '1 Jan 1969 00:00:00 +0000', 'Mon, 99 Jan 2026 99:99:99 +9999']) }, 'When')}\r\nHi\r\n`,
      expect: { ...basic(s), subject: 'When' },
    }),
  ],
  [
    'a subject that would be a head',
    (s) => ({
      source: `${head(s, '=?utf-8?Q?Hi=0D=0ABcc:_x@evil.example?=')}\r\nHi\r\n`,
      expect: { ...basic(s), subject: 'Hi Bcc: x@evil.example' },
    }),
  ],
  ['noise', (s) => ({ source: s.random.bytes(2000), expect: { automatic: null } })],
  [
    'a large file',
    (s) => {
      const isHuge = s.n % 4 === 0
      const size = isHuge ? (9 + s.random.int(3)) * 1_048_576 + s.random.int(1000) : 50_000
      const bytes = Buffer.alloc(size, s.random.bytes(997))
      const fits = size <= 10 * 1_048_576
      const body = multipart('big', [
        { type: 'text/plain', body: 'See the film' },
        {
          type: 'video/mp4',
          body: base64Lines(bytes),
          more: ['Content-Transfer-Encoding: base64', 'Content-Disposition: attachment; filename="film.mp4"'],
        },
      ])
      return {
        source: `${head(s, 'Film', 'Content-Type: multipart/mixed; boundary=big')}\r\n${body}`,
        expect: {
          ...basic(s),
          text: 'See the film',
          files: fits ? 1 : 0,
          notes: fits ? 0 : 1,
          ...(fits ? { content: bytes } : {}),
        },
      }
    },
  ],
  [
    'a text of more than 1 MiB',
    (s) =>
      s.n % 4 > 0
        ? { source: `${head(s, 'Short')}\r\nHi\r\n`, expect: { ...basic(s), text: 'Hi' } }
        : {
            source: `${head(s, 'Long', 'Content-Type: text/plain; charset=utf-8')}\r\n${'Wörter und mehr. \r\n'.repeat(80_000)}`,
            expect: { ...basic(s), text: 'Wörter und mehr.', notes: 1 },
          },
  ],
]
