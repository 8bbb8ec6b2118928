import type { IncomingMessage } from 'node:http'
import * as v from 'valibot'
import { clientOf, notePeer, trustedProxies } from '../../src/auth/client.ts'
import { mediaTypeOf } from '../../src/http/body/body.ts'
import { boundaryOf } from '../../src/http/body/multipart.ts'
import { checkIfMatch, isUnchanged } from '../../src/http/conditional.ts'
import { cursors } from '../../src/http/cursor.ts'
import { attachmentHeader } from '../../src/http/file.ts'
import { acceptsGzip, acceptsJson, preferred, preferredName } from '../../src/http/negotiate.ts'
import { readQuery } from '../../src/http/query.ts'
import { countryNamed } from '../../src/imports/csv/cells/addresses.ts'
import { isBlank, labelOf, optionsIn, readReach, readValue, unguarded } from '../../src/imports/csv/cells/values.ts'
import { addressColumns } from '../../src/imports/csv/columns/address-headers.ts'
import type { Field, Kind } from '../../src/imports/csv/columns/field.ts'
import { columnNames, preamble, separatorLine, separatorOf } from '../../src/imports/csv/file/dialect.ts'
import { recognise } from '../../src/imports/csv/file/encodings/recognise.ts'
import { runCollector } from '../../src/imports/csv/file/encodings/runs.ts'
import { rowsOfCards } from '../../src/imports/csv/file/vcard/rows.ts'
import { shownHtml, textIn } from '../../src/inbox/messages/texts.ts'
import { writeText } from '../../src/lib/captions/plain.ts'
import { spokenBy } from '../../src/lib/captions/spoken-by.ts'
import { readSrt, writeSrt } from '../../src/lib/captions/subrip.ts'
import { readVtt, writeVtt } from '../../src/lib/captions/webvtt.ts'
import * as f from '../../src/lib/fields.ts'
import { fileName } from '../../src/lib/file-name.ts'
import { guarded } from '../../src/lib/formula.ts'
import { textHtml } from '../../src/lib/html/from-text.ts'
import { plainOf, proseOf } from '../../src/lib/html/plain.ts'
import { sanitizeHtml, textOfHtml } from '../../src/lib/html/sanitize.ts'
import { eventsIn } from '../../src/lib/icalendar/calendar.ts'
import { calendarsIn } from '../../src/lib/icalendar/lines.ts'
import { readJson } from '../../src/lib/json.ts'
import type { Invitation } from '../../src/lib/mail/mail.ts'
import { readMail } from '../../src/lib/mail/parse/read.ts'
import { wordsOf as serverWords } from '../../src/lib/mail/transport/error-messages.ts'
import { fold } from '../../src/lib/pure/fold.ts'
import { seen } from '../../src/lib/pure/invisible.ts'
import { blocksOf } from '../../src/lib/pure/markdown/blocks.ts'
import { nodesOf } from '../../src/lib/pure/markdown/inline.ts'
import { fill, fillLine, templateFaults } from '../../src/lib/template.ts'
import { matches, queryOf, wordsOf } from '../../src/lib/words.ts'
import { readDay } from '../../src/lib/written/days/days.ts'
import { daysShown } from '../../src/lib/written/days/days-shown.ts'
import { readDuration } from '../../src/lib/written/days/durations.ts'
import { readMoment } from '../../src/lib/written/days/moments.ts'
import { readAmount } from '../../src/lib/written/figures/amounts.ts'
import { readNumber, readPercent, signsIn } from '../../src/lib/written/figures/numbers.ts'
import { readList } from '../../src/lib/written/lists.ts'
import { readAddress } from '../../src/lib/written/people/addresses.ts'
import { readEmails } from '../../src/lib/written/people/emails.ts'
import { namesShown, readNames } from '../../src/lib/written/people/name-order.ts'
import { readName } from '../../src/lib/written/people/names.ts'
import { readPhonesIn } from '../../src/lib/written/people/phone-countries.ts'
import { readPostalCode } from '../../src/lib/written/people/postal-codes.ts'
import { readDomains, readWebAddress } from '../../src/lib/written/people/web.ts'
import { readYesNo } from '../../src/lib/written/yes-no.ts'
import { isCalendarAnswer } from '../../src/mail/calendar-answers.ts'
import { forwardedIn } from '../../src/mail/internal-mails.ts'
import { cookieValue } from '../../src/site/sessions/cookie.ts'
import { parseTsv } from '../../src/web/tables/table/tsv.ts'

/** What reads texts that others have written. `most`: the longest text that it is given, in characters. */
export type Reader = { name: string; most: number; read: (text: string) => unknown }

const KIB = 1024
const MIB = 1024 * KIB
/** Of all headers of a request together. */
const HEADERS = 16 * KIB

/** A mail around a text. */
const mail = (around: (text: string) => string) => (text: string) =>
  readMail(Buffer.from(around(text)), { timezone: 'Europe/Berlin', now: 0, arrivedAt: 0 })
const body = (headers: string) => mail((text) => `From: a@a.example\n${headers}\n\n${text}`)
/** A text cannot end the field that it stands in. */
const field = (name: string) => mail((text) => `${name}${text.replace(/[\r\n]+/g, '\n ')}\n\nHello`)
const part = (headers: string) =>
  mail((text) => `From: a@a.example\nContent-Type: multipart/mixed; boundary=b\n\n--b\n${headers}\n\n${text}\n--b--\n`)

const ANSWER = [{ method: 'REPLY', comment: null, isByOutlook: true } as Invitation]

const MAILS: Reader[] = [
  { name: 'mail passed on', most: MIB, read: (text) => forwardedIn({ forwarded: null, subject: null }, text) },
  {
    name: 'mail passed on, as its subject says',
    most: MIB,
    read: (text) => forwardedIn({ forwarded: null, subject: 'Fwd: x' }, text),
  },
  {
    name: 'answer of a calendar',
    most: MIB,
    read: (html) => isCalendarAnswer({ invitations: ANSWER, text: '', html, files: [] }),
  },
  { name: 'name in a mail', most: 16 * KIB, read: readName },
  { name: 'text that may be HTML', most: MIB, read: proseOf },
  { name: 'text that may be HTML in a calendar', most: MIB, read: plainOf },
  { name: 'mail', most: MIB, read: mail((text) => text) },
  { name: 'mail text', most: MIB, read: body('Content-Type: text/plain') },
  { name: 'mail text, flowed', most: 3 * MIB, read: body('Content-Type: text/plain; format=flowed') },
  {
    name: 'mail text, flowed and joined',
    most: 3 * MIB,
    read: body('Content-Type: text/plain; format=flowed; delsp=yes'),
  },
  { name: 'mail text, quoted-printable', most: MIB, read: body('Content-Transfer-Encoding: quoted-printable') },
  { name: 'mail text, base64', most: MIB, read: body('Content-Transfer-Encoding: base64') },
  { name: 'mail text, UTF-7', most: MIB, read: body('Content-Type: text/plain; charset=utf-7') },
  { name: 'mail text, ISO-2022-JP', most: MIB, read: body('Content-Type: text/plain; charset=iso-2022-jp') },
  { name: 'mail HTML', most: MIB, read: body('Content-Type: text/html') },
  { name: 'mail parts', most: MIB, read: body('Content-Type: multipart/mixed; boundary=a') },
  { name: 'mail calendar', most: MIB, read: body('Content-Type: text/calendar; method=REQUEST') },
  {
    name: 'mail event',
    most: MIB,
    read: mail(
      (text) =>
        `From: a@a.example\nContent-Type: text/calendar; method=REQUEST\n\nBEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\nDTSTART:20261120T090000Z\nSUMMARY:${text}\nEND:VEVENT\nEND:VCALENDAR\n`,
    ),
  },
  { name: 'mail attachment', most: MIB, read: part('Content-Disposition: attachment; filename=a.txt') },
  {
    name: 'mail report',
    most: MIB,
    read: mail(
      (text) =>
        `From: MAILER-DAEMON@a.example\nSubject: Undelivered Mail Returned to Sender\nReturn-Path: <>\nTo: b@b.example\n\n${text}`,
    ),
  },
  {
    name: 'mail report fields',
    most: MIB,
    read: mail(
      (text) =>
        `From: MAILER-DAEMON@a.example\nContent-Type: multipart/report; report-type=delivery-status; boundary=b\n\n--b\n\nFailed\n--b\nContent-Type: message/delivery-status\n\n${text}\n--b--\n`,
    ),
  },
  { name: 'mail headers', most: MIB, read: mail((text) => `From: a@a.example\n${text}`) },
  ...[
    ...[
      'From: ',
      'From: "',
      'From: =?utf-8?q?',
      'To: ',
      'Cc: ',
      'Reply-To: ',
      'Subject: ',
      'Subject: Undeliverable: ',
      'Date: ',
      'Message-ID: ',
      'References: ',
      'In-Reply-To: ',
    ],
    ...[
      'Content-Type: ',
      'Content-Type: text/plain; name=',
      'Content-Type: text/plain; name="',
      'Content-Type: multipart/mixed; boundary=',
      'Content-Disposition: attachment; filename*=',
      'Content-Transfer-Encoding: ',
    ],
    ...[
      'Received: from ',
      'Received: ',
      'Authentication-Results: ',
      'Authentication-Results: a; dkim=',
      'Auto-Submitted: ',
      'Precedence: ',
      'List-Id: ',
      'Return-Path: ',
      'Delivered-To: ',
      'X-Failed-Recipients: ',
    ],
  ].map((name) => ({ name: `mail header ${name}`, most: 64 * KIB, read: field(name) })),
]

const HTML: Reader[] = [
  { name: 'HTML', most: 2 * MIB, read: sanitizeHtml },
  { name: 'HTML of a message', most: MIB, read: shownHtml },
  { name: 'text of HTML', most: 2 * MIB, read: textOfHtml },
  { name: 'text of the HTML of a message', most: MIB, read: textIn },
  ...[
    '<a href="',
    '<p style="',
    '<a title="',
    '<img src="data:image/png;base64,',
    '<a href="http://',
    '<!--',
    '<p ',
    '<pre>',
  ].map((start) => ({
    name: `HTML after ${start}`,
    most: MIB,
    read: (text: string) => sanitizeHtml(`${start}${text}`),
  })),
  { name: 'HTML from text', most: MIB, read: textHtml },
  { name: 'HTML from a line', most: 64 * KIB, read: (text) => textHtml(`http://a/${text.replace(/\s/g, ')')}`) },
]

const WEB: Reader[] = [
  { name: 'Markdown', most: 64 * KIB, read: blocksOf },
  { name: 'Markdown line', most: 64 * KIB, read: nodesOf },
  { name: 'pasted cells', most: MIB, read: parseTsv },
]

const FORMAT = { currency: 'EUR', zone: 'Europe/Berlin', now: 0 }
const SEEN = { ...FORMAT, locale: 'de-DE', isSeen: true }
const KINDS: Kind[] = [
  'amount',
  'number',
  'count',
  'currency',
  'date',
  'time',
  'flag',
  'consent',
  'country',
  'language',
  'zone',
  'url',
  'choice',
  'text',
  'email',
  'phone',
]
const LISTS: Kind[] = ['choices']
const REACH: Kind[] = ['emails', 'phones', 'domains']
const cell = (kind: Kind): Field => ({ kind, options: new Map() })

const FILES: Reader[] = [
  ...KINDS.map((kind) => ({
    name: `cell: ${kind}`,
    most: MIB,
    read: (text: string) => readValue(cell(kind), unguarded(text), FORMAT),
  })),
  ...LISTS.map((kind) => ({
    name: `cell: ${kind}`,
    most: MIB,
    read: (text: string) => optionsIn(cell(kind), unguarded(text)),
  })),
  ...REACH.map((kind) => ({
    name: `cell: ${kind}`,
    most: MIB,
    read: (text: string) => readReach(cell(kind), unguarded(text), FORMAT, (part) => !isBlank(part)),
  })),
  {
    name: 'cell: names of a list',
    most: MIB,
    read: (text) => [readList(seen(text), () => undefined), readList(text, (name) => name, { isSeen: true })],
  },
  {
    name: 'cell: address',
    most: MIB,
    read: (text) => [
      readAddress(text, { country: 'DE', countryNamed }),
      addressColumns([[text]]),
      readPostalCode(text, 'DE'),
    ],
  },
  {
    name: 'bytes: their encoding',
    most: MIB,
    read: (text) => {
      const collector = runCollector()
      collector.add(Buffer.from(text, 'latin1'))
      return recognise(collector.runs(), 'DE')
    },
  },
  {
    name: 'cell: its column',
    most: MIB,
    read: (text) => [isBlank(text), daysShown().add(text, 1), signsIn(text), labelOf(text), namesShown().add(text)],
  },
  ...Object.entries({
    readNumber,
    readAmount,
    readPercent,
    readDuration,
    readDay,
    readMoment,
    readYesNo,
    readPhonesIn,
    readEmails,
    readDomains,
    readWebAddress,
    readNames,
  }).map(([name, read]) => ({ name: `what is typed: ${name}`, most: MIB, read: (text: string) => read(text, SEEN) })),
  {
    name: 'CSV: the dialect',
    most: 64 * KIB,
    read: (text) => [separatorLine(text), preamble(text), separatorOf(text)],
  },
  { name: 'CSV: the columns', most: MIB, read: (text) => columnNames(text.split(',').slice(0, 1000)) },
  { name: 'CSV to write', most: MIB, read: guarded },
  ...[
    '',
    'BEGIN:VCARD\nVERSION:3.0\nFN:',
    'BEGIN:VCARD\nVERSION:2.1\nN;ENCODING=QUOTED-PRINTABLE:',
    'BEGIN:VCARD\nVERSION:4.0\nTEL;TYPE=',
    'BEGIN:VCARD\nVERSION:3.0\nADR:',
    'BEGIN:VCARD\nVERSION:3.0\n',
  ].map((start) => ({
    name: `vCard after ${JSON.stringify(start)}`,
    most: MIB,
    read: async (text: string) =>
      Array.fromAsync(rowsOfCards('a', 'contact', chunks(`${start}${text}\nEND:VCARD\n`), 'windows-1252')),
  })),
  ...[
    '',
    'BEGIN:VCALENDAR\n',
    'BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\nDTSTART:20261120T090000Z\n',
    'BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\nDTSTART;TZID=',
    'BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\nDTSTART:20261120T090000Z\nATTENDEE;CN="',
    'BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\nDTSTART:20261120T090000Z\nRRULE:',
  ].map((start) => ({
    name: `iCalendar after ${JSON.stringify(start)}`,
    most: MIB,
    read: (text: string) =>
      calendarsIn('a', Buffer.from(`${start}${text}\nEND:VEVENT\nEND:VCALENDAR\n`)).map((calendar) => [
        ...eventsIn(calendar, 'Europe/Berlin'),
      ]),
  })),
  { name: 'SubRip', most: 8 * MIB, read: (text) => readSrt(text, 20_000) },
  {
    name: 'SubRip text',
    most: MIB,
    read: (text) => writeSrt(readSrt(`1\n00:00:01,000 --> 00:00:02,000\n${text.replace(/\n\s*\n/g, '\n')}`, 20_000)),
  },
  { name: 'SubRip times', most: MIB, read: (text) => readSrt(`1\n00:00:01,000 -->${text}`, 20_000) },
  { name: 'WebVTT', most: 8 * MIB, read: (text) => readVtt(`WEBVTT\n\n${text}`, 20_000) },
  {
    name: 'WebVTT text',
    most: MIB,
    read: (text) => {
      const captions = readVtt(`WEBVTT\n\n00:01.000 --> 00:02.000\n${text.replace(/\n\s*\n/g, '\n')}`, 20_000)
      return [writeVtt(captions), writeText(captions), spokenBy(captions, ['A'])]
    },
  },
  { name: 'WebVTT times', most: MIB, read: (text) => readVtt(`WEBVTT\n\n00:01.000 -->${text}`, 20_000) },
  {
    name: 'WebVTT voice',
    most: MIB,
    read: (text) => readVtt(`WEBVTT\n\n00:01.000 --> 00:02.000\n<v ${text.replace(/\n/g, ' ')}>a`, 20_000),
  },
]

async function* chunks(text: string) {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536)
}

const request = (headers: Record<string, string>) =>
  ({ headers, method: 'PATCH', socket: SOCKET }) as unknown as IncomingMessage
const SOCKET = { remoteAddress: '127.0.0.1' } as IncomingMessage['socket']
notePeer(
  SOCKET,
  trustedProxies('127.0.0.0/8', () => undefined),
)
const { open } = cursors(Buffer.alloc(32))

const REQUESTS: Reader[] = [
  { name: 'query', most: 8 * KIB, read: readQuery },
  { name: 'cursor', most: 8 * KIB, read: (text) => open(text, '/deals') },
  {
    name: 'Accept',
    most: HEADERS,
    read: (text) => [
      acceptsJson(text),
      acceptsGzip(text),
      preferred(text, ['text/csv', 'application/json']),
      preferredName(text, ['de', 'en']),
    ],
  },
  { name: 'If-Match', most: HEADERS, read: (text) => checkIfMatch(text, 1) },
  { name: 'If-None-Match', most: HEADERS, read: (text) => isUnchanged(text, 1) },
  { name: 'Cookie', most: HEADERS, read: (text) => cookieValue(request({ cookie: text }), 'dealbox') },
  {
    name: 'X-Forwarded-For',
    most: HEADERS,
    read: (text) => clientOf(request({ 'x-forwarded-for': text, 'x-forwarded-host': text })),
  },
  { name: 'Content-Type', most: HEADERS, read: (text) => mediaTypeOf(request({ 'content-type': text })) },
  {
    name: 'Content-Type of a form',
    most: HEADERS,
    read: (text) => boundaryOf(request({ 'content-type': `multipart/form-data; boundary=${text}` })),
  },
  { name: 'JSON', most: MIB, read: (text) => readJson(Buffer.from(text)) },
  { name: 'JSON text', most: MIB, read: (text) => readJson(Buffer.from(JSON.stringify({ a: text }))) },
  { name: 'JSON number', most: MIB, read: (text) => readJson(Buffer.from(`[1${text}]`)) },
  ...Object.entries({
    title: f.title,
    text: f.longText(),
    date: f.date,
    time: f.time,
    email: f.email,
    phone: f.phone,
    domain: f.domain,
    url: f.url,
    timezone: f.timezone,
    language: f.language,
    country: f.country,
    color: f.color,
    id: f.id,
  }).map(([name, schema]) => ({
    name: `field: ${name}`,
    most: MIB,
    read: (text: string) => v.safeParse(schema, text),
  })),
  { name: 'search', most: 8 * KIB, read: (text) => matches(wordsOf([text]).join(' '), queryOf(text)) },
  { name: 'words', most: 64 * KIB, read: (text) => wordsOf([text], [text.slice(0, 50)]) },
  { name: 'folded', most: MIB, read: fold },
  { name: 'template', most: 64 * KIB, read: (text) => templateFaults(text, () => false) },
  {
    name: 'template filled',
    most: 64 * KIB,
    read: (text) => [
      fill('{{a}}', { a: text }),
      fillLine('{{a}}', { a: text }),
      templateFaults(text, () => true).length === 0 && fill(text, { a: 'b' }),
    ],
  },
  { name: 'file name', most: MIB, read: (text) => [fileName(text), attachmentHeader(fileName(text))] },
  {
    name: 'reply of a mail server',
    most: 64 * KIB,
    read: (text) => serverWords(text, { host: 'a', port: 1, tls: 'none', user: 'u', password: 'p' }),
  },
]

export const READERS: readonly Reader[] = [...MAILS, ...HTML, ...WEB, ...FILES, ...REQUESTS]
