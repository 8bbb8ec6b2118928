import { type FileKind, WORDS } from '../words/words.ts'
import type { Random } from './random.ts'
import type { FileGiven } from './steps.ts'

const QUESTIONS = [
  'Is data encrypted at rest?',
  'Is there a second site?',
  'How often is a backup restored for a test?',
  'Who can read the data of customers?',
  'How are people who leave locked out?',
]

/** Returns a small but valid file of its kind; `number` is that of the offer, the order or the invoice. */
export function fileOf(random: Random, kind: FileKind, number: number, firm: string): FileGiven {
  switch (kind) {
    case 'prices':
      return pdf('price-list.pdf', ['Price list', 'Annual plan: 49.00 per seat and month', 'Modules: from 12.00'])
    case 'offer':
      return pdf(`offer-${number}.pdf`, [`Offer ${number}`, firm, 'Valid for thirty days'])
    case 'order':
      return pdf(`purchase-order-${number}.pdf`, [`Purchase order ${number}`, firm, 'To be named on every invoice'])
    case 'staff':
      return csv('staff.csv', [['number', 'team', 'since'], ...staff(random)])
    case 'questions':
      return csv('security-questionnaire.csv', [['question', 'answer'], ...QUESTIONS.map((text) => [text, ''])])
    case 'answers':
      return csv('security-questionnaire-answered.csv', [
        ['question', 'answer'],
        ...QUESTIONS.map((text) => [text, 'Yes; see the description of our operations']),
      ])
  }
}

function staff(random: Random): string[][] {
  const year = () => String(random.between(2009, 2024))
  return Array.from({ length: random.between(6, 14) }, (_, index) => [
    `${1001 + index}`,
    random.pick(WORDS.teams),
    year(),
  ])
}

function csv(name: string, rows: string[][]): FileGiven {
  const text = rows.map((row) => row.join(',')).join('\r\n')
  return { name, content_type: 'text/csv', data: Buffer.from(`${text}\r\n`).toString('base64') }
}

/** Returns one page with a few lines in Helvetica. A PDF lists the byte offset of each object. */
function pdf(name: string, lines: string[]): FileGiven {
  const shown = lines.map((line) => `(${latin(line).replace(/[\\()]/g, '\\$&')}) Tj T*`).join(' ')
  const content = `BT /F1 16 Tf 24 TL 72 760 Td ${shown} ET`
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ]
  let text = '%PDF-1.4\n'
  const places: string[] = []
  for (const [index, object] of objects.entries()) {
    places.push(`${String(text.length).padStart(10, '0')} 00000 n `)
    text += `${index + 1} 0 obj\n${object}\nendobj\n`
  }
  const head = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join('\n')}\n`
  const tail = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`
  return { name, content_type: 'application/pdf', data: Buffer.from(text + head + tail, 'latin1').toString('base64') }
}

/** Removes accents: the built-in PDF fonts cover western European letters only. */
function latin(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\x20-\x7e]/g, ' ')
}
