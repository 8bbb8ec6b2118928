import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { readReturn } from '../../../src/lib/written/days/return-date.ts'
import type { Reading } from '../../../src/lib/written/reading.ts'

// Automatic replies as programs and people write them, all of Monday, 28 December 2026.

const TODAY = '2026-12-28'

const shown = (read: Reading<string>): string =>
  'value' in read
    ? read.value
    : 'either' in read
      ? read.either.join(' ¦ ')
      : read.unread.why === 'not_one'
        ? '-'
        : read.unread.why

/** What is written, and what it means; "-" if it states no return. */
const SENTENCES: Record<string, [written: string, meant: string][]> = {
  'a return in English': [
    ['Thank you for your email. I am out of the office and will be back on 12 January.', '2027-01-12'],
    ['I am back on January 12th, 2027.', '2027-01-12'],
    [
      "I'm currently out of the office with no access to email. I'll be returning on Monday, January 11, 2027.",
      '2027-01-11',
    ],
    ['I will return to the office on Tue 12 Jan.', '2027-01-12'],
    ['I will reply to your email on my return on the 8th January.', '2027-01-08'],
    ['I will be back in the office on the 8th.', '2027-01-08'],
    ['I am on leave, back on Monday.', '2027-01-04'],
    ['I will be back next Thursday.', '2026-12-31 ¦ 2027-01-07'],
    ['I am out today and back tomorrow.', '2026-12-29'],
    ['I am travelling and will be back next week.', '2027-01-04'],
    ['Return date: 2027-01-12', '2027-01-12'],
    ['I will not be back until 12 January.', '2027-01-12'],
    ['I will be back after 11 January.', '2027-01-12'],
    ['From 7 January I am available again.', '2027-01-07'],
    ['I will be available from 7 January 2027.', '2027-01-07'],
    ['On January 12 I’ll be back at my desk.', '2027-01-12'],
    ['I am away from 24 December to 8 January, and back in the office on\nMonday, 11 January.', '2027-01-11'],
    ['I’m back on 3/15/2027.', '2027-03-15'],
    ['I’m back on 3/4/2027.', '2027-03-04 ¦ 2027-04-03'],
    ['I’m away from 12/24/2026, back on 3/4/2027.', '2027-03-04'],
    ['I’m away from 24/12/2026, back on 3/4/2027.', '2027-04-03'],
    ['I’m back on Thursday, 3/4/2027.', '2027-03-04'],
    ['We are closed for the holidays and reopen on January 4th.', '2027-01-04'],
    ['I resume work on Jan. 12.', '2027-01-12'],
    ["My maternity leave has begun, I return on 1 September '27.", '2027-09-01'],
  ],
  'the end of an absence in English': [
    ['I am out of the office until 12 January.', '2027-01-12 ¦ 2027-01-13'],
    ['Out of office until 2027-01-12 (inclusive)', '2027-01-13'],
    ['I am on vacation through January 12.', '2027-01-13'],
    ['I am away up to and including 12 January 2027.', '2027-01-13'],
    ['I am on annual leave from 24 December to 8 January.', '2027-01-08 ¦ 2027-01-09'],
    ['I will be on holiday from 4–12 January.', '2027-01-12 ¦ 2027-01-13'],
    ['Our office is closed December 24 - 31.', '2026-12-31 ¦ 2027-01-01'],
    ['Out of the office 12/28-1/3', '2027-01-03 ¦ 2027-01-04'],
    ['I will be on vacation starting 12/29/2026 and ending 1/8/2027.', '2027-01-08 ¦ 2027-01-09'],
    ['Hi, I am on PTO from 12/21 to 1/4. For urgent matters call 555-0142.', '2027-01-04 ¦ 2027-01-05'],
    ['I will not be available till Wednesday.', '2026-12-30 ¦ 2026-12-31'],
  ],
  German: [
    ['Vielen Dank für Ihre Nachricht. Ich bin ab dem 7. Januar wieder für Sie da.', '2027-01-07'],
    ['Ich bin derzeit nicht im Büro und ab dem 7. Januar 2027 wieder erreichbar.', '2027-01-07'],
    ['Ich bin am 12.01.2027 zurück.', '2027-01-12'],
    ['Ich bin bis 3.1.2027 nicht im Büro.', '2027-01-03 ¦ 2027-01-04'],
    ['Ich bin bis einschließlich 10.1. im Urlaub.', '2027-01-11'],
    ['Ich bin vom 23.12. bis 6.1. nicht erreichbar.', '2027-01-06 ¦ 2027-01-07'],
    ['Abwesend bis 08.01.27', '2027-01-08 ¦ 2027-01-09'],
    ['Ich bin wieder im Büro ab Montag, den 11. Januar.', '2027-01-11'],
    ['Ihre E-Mail wird nicht weitergeleitet. Ich kehre am 4. Jänner zurück.', '2027-01-04'],
    ['Ab 7.1. bin ich wieder da.', '2027-01-07'],
    ['Ich bin am Montagmorgen wieder da.', '2027-01-04'],
    ['Ich bin bis und mit 8. Januar ferienabwesend.', '2027-01-09'],
    ['Unser Büro ist vom 24. - 31. Dezember geschlossen. Ab dem 4. Januar sind wir wieder für Sie da.', '2027-01-04'],
    ['Unsere Firma hat Betriebsferien (23.12. – 3.1.)', '2027-01-03 ¦ 2027-01-04'],
    ['Ich bin zurück am 3/4/2027.', '2027-04-03'],
  ],
  French: [
    ['Je suis absent du bureau, de retour le 12 janvier.', '2027-01-12'],
    ['Je serai de retour au bureau le lundi 11 janvier 2027.', '2027-01-11'],
    ['Je suis en congés jusqu’au 8 janvier inclus.', '2027-01-09'],
    ["Je suis absente jusqu'au 08/01/2027.", '2027-01-08 ¦ 2027-01-09'],
    ['Absente du 24 décembre au 1er janvier.', '2027-01-01 ¦ 2027-01-02'],
    ['À partir du 12 janvier, je serai à nouveau joignable.', '2027-01-12'],
    ['Bonjour, je suis absent jusqu’à lundi.', '2027-01-04 ¦ 2027-01-05'],
    ['Retour prévu le 04/01.', '2027-01-04'],
  ],
  Spanish: [
    ['Estoy fuera de la oficina, de vuelta el 12 de enero.', '2027-01-12'],
    ['Estaré de vacaciones hasta el 8 de enero de 2027 inclusive.', '2027-01-09'],
    ['Me reincorporo el lunes 11 de enero.', '2027-01-11'],
    ['Estaré ausente del 24 de diciembre al 4 de enero.', '2027-01-04 ¦ 2027-01-05'],
    ['Volveré el 07/01/2027.', '2027-01-07'],
    ['No estaré disponible hasta el 7/1.', '2027-01-07 ¦ 2027-01-08'],
  ],
  Italian: [
    ['Sono fuori ufficio e rientrerò il 12 gennaio.', '2027-01-12'],
    ["Sarò assente fino all'8 gennaio compreso.", '2027-01-09'],
    ['Sono in ferie dal 24 dicembre al 6 gennaio.', '2027-01-06 ¦ 2027-01-07'],
    ['Sarò di nuovo disponibile lunedì 11 gennaio.', '2027-01-11'],
    ['Dal 7 gennaio sarò nuovamente raggiungibile.', '2027-01-07'],
  ],
  Dutch: [
    ['Ik ben afwezig en op 12 januari weer terug.', '2027-01-12'],
    ['Ik ben met vakantie tot en met 8 januari.', '2027-01-09'],
    ['Vanaf maandag 11 januari ben ik weer bereikbaar.', '2027-01-11'],
    ['Ik ben afwezig t/m 12-01-2027.', '2027-01-13'],
    ['Ik ben terug op 12-01-2027.', '2027-01-12'],
    ['Maandag 4 januari ben ik er weer', '2027-01-04'],
    ['Ik ben niet op kantoor tot 5 januari.', '2027-01-05 ¦ 2027-01-06'],
  ],
  'two languages': [
    ['Ich bin ab dem 7. Januar wieder da.\n\nI will be back on 7 January.', '2027-01-07'],
    ['Ich bin ab 3.4.2027 wieder da.\n\nI will be back on 3/4/2027.', '2027-04-03'],
    ['I am back on 7 January. My colleague Tom is back on 4 January.', 'several'],
  ],
  'no return': [
    ['I am out of the office. In urgent cases call +49 30 12-01-2027.', '-'],
    ['I am out of the office and will answer as soon as I am back.\n\nEva Ruiz\nPhone 030 12/1 2027', '-'],
    ['I am away with limited access to email since 1 January.', '-'],
    ['Ich bin seit dem 1. Januar nicht mehr bei Acme.', '-'],
    ['Ich arbeite ab dem 7. Januar nicht mehr hier.', '-'],
    ['Ab dem 7. Januar bin ich im Urlaub.', '-'],
    ['Ich bin ab 1. Januar unter einer neuen Nummer erreichbar.', '-'],
    ['Depuis le 1er janvier, je ne travaille plus ici.', '-'],
    ['We will get back to you on 4 January.', '-'],
    ['We received your message and will get back to you within 2 days.', '-'],
    ['Your order of 12 January is on its way. You can return it until 31 January.', '-'],
    ['The offer is valid until 31 January 2027.', '-'],
    ['We are available Monday to Friday from 9 to 5, and 24/7 by chat.', '-'],
    ['I do not work on Fridays. I read mails every Monday when I am back.', '-'],
    ['I am out of the office and will be back soon.', '-'],
    ['I am back in January.', '-'],
    ['Ich bin im Urlaub. Ihre Nachricht vom 12.01.2027 wird nicht weitergeleitet.', '-'],
    ['Je reviendrai vers vous le 12 janvier.', '-'],
    ['I am out.\n\n> I will be back on 12 January.', '-'],
    ['I am out.\n-- \nBack on 12 January', '-'],
    ['I’m back on Monday, 12 January 2027.', '-'],
    ['I am back on 31 February.', '-'],
    ['', '-'],
  ],
}

for (const [kind, all] of Object.entries(SENTENCES))
  describe(kind, () => {
    for (const [written, meant] of all)
      test(JSON.stringify(written), () => assert.equal(shown(readReturn(written, { today: TODAY })), meant))
  })

test('a day without a year is the nearest, and one of the past stays that', () => {
  assert.equal(shown(readReturn('I am back on 12 January.', { today: '2027-01-20' })), '2027-01-12')
  assert.equal(shown(readReturn('I am back on 28 December.', { today: '2027-01-20' })), '2026-12-28')
  assert.equal(shown(readReturn('I am away until 1/2/2027.', { today: '2027-01-20' })), '2027-02-01 ¦ 2027-02-02')
})

test('no text takes long, or fails', () => {
  const words = [
    'back',
    'until',
    'not',
    '12',
    '.',
    '1',
    '/',
    'Januar',
    'Monday',
    ' ',
    '\n',
    'am',
    'wieder',
    '-',
    '⟦0⟧',
    'the 3rd',
  ]
  const text = fc.array(fc.constantFrom(...words), { maxLength: 400 }).map((all) => all.join(''))
  fc.assert(fc.property(text, (given) => void readReturn(given, { today: TODAY })))
})
