import { dayLocale, format } from '../../lib/locale.ts'
import { serverNow } from '../../lib/server-time.ts'
import { dateIn, timeIn } from '../../lib/zoned.ts'
import { EditMoney, type MoneyDraft } from './edit-money.tsx'
import { editLine, HALF } from './edit-text.tsx'
import type { Field, Kind, Known, Money, Parsed } from './field.ts'
import { type Figures, figures, loadFigures } from './figures.ts'
import type { Reading } from './parse.ts'
import * as show from './show.tsx'
import { fieldTexts } from './texts.ts'

// How fields with numbers, amounts, days and addresses are edited, copied and read.

// As soon as anything can be edited: an editor opens without a network, too.
void loadFigures()

/** What reading needs to know at this moment. */
export const reading = (): Reading => ({
  format: format.peek(),
  texts: fieldTexts(),
  now: serverNow(),
  dayLocale: dayLocale(format.peek().tag),
  browserLocale: globalThis.navigator?.language,
})

type ReadFigure = (figures: Figures, text: string, field: Field, known: Known) => Parsed

/** What is typed before the readers are there is kept, and read when they come. */
export function figureOf(text: string, run: (found: Figures) => Parsed): Parsed {
  const found = figures()
  if (found) return run(found)
  if (text.trim() === '') return { value: null }
  return { error: fieldTexts().notYet, later: () => loadFigures().then(run) }
}

/** For types whose draft is the text that is typed, and that the readers read. */
export function figured(
  Show: Kind['Show'],
  Edit: Kind['Edit'],
  parse: ReadFigure,
  toText: (value: never) => string = (value: string | null) => value ?? '',
): Kind {
  const known = (field: Field) => figures()?.knownOf(field, []) ?? {}
  return {
    Show,
    Edit,
    layout: 'line',
    toDraft: toText,
    fromDraft: (draft: string, field) => figureOf(draft, (found) => parse(found, draft, field, known(field))),
    toText,
    fromText: async (text, field, _sources, column) => {
      const found = await loadFigures()
      return parse(found, text, field, column ?? found.knownOf(field, []))
    },
  }
}

export const money: Kind = {
  ...figured(show.ShowMoney, EditMoney, () => ({ value: null })),
  right: true,
  toDraft: (value: Money | null): MoneyDraft => ({
    text: value?.amount == null ? '' : format.peek().amount(value.amount, value.currency ?? undefined),
    currency: value?.currency ?? null,
  }),
  fromDraft: ({ text, currency }: MoneyDraft) =>
    text.trim() === ''
      ? { value: { amount: null, currency } }
      : figureOf(text, (found) => found.parseMoney(text, currency, reading())),
  toText: (value: Money | null) =>
    value?.amount == null ? '' : `${value.currency ?? ''} ${format.peek().amount(value.amount)}`.trim(),
  fromText: async (text, _field, sources, column) =>
    (await loadFigures()).parseMoney(text, sources.currency(), reading(), column),
  readAs: ({ text }: MoneyDraft, { value }) => {
    const { amount, currency } = value as Money
    return amount === null || isPlain(text) ? undefined : format.peek().money(amount, currency ?? '')
  },
}

/** Digits that nobody could read otherwise. */
const isPlain = (text: string): boolean => /^\s*-?\d*\s*$/.test(text)

const dateTimeDraft = (value: string | null): string => {
  if (value === null) return ''
  const { timezone } = format.peek()
  return `${dateIn(Date.parse(value), timezone)}T${timeIn(Date.parse(value), timezone)}`
}
/** What is not wholly typed is no date. */
const whole =
  (parse: ReadFigure): ReadFigure =>
  (found, text, field, known) =>
    text === HALF ? { error: fieldTexts().badDate } : parse(found, text, field, known)

export const number: Kind = {
  ...figured(
    show.ShowNumber,
    editLine('text', 'decimal'),
    (found, text, _field, known) => found.parseNumber(text, reading(), known),
    (value: number | null) => (value === null || value === undefined ? '' : format.peek().number(value)),
  ),
  right: true,
  readAs: (text: string, { value }) =>
    value === null || isPlain(text) ? undefined : format.peek().number(value as number),
}

export const date: Kind = figured(
  show.ShowDate,
  editLine('date'),
  whole((found, text, _field, known) => found.parseDate(text, reading(), known)),
)

export const datetime: Kind = {
  ...figured(
    show.ShowDateTime,
    editLine('datetime-local'),
    whole((found, text, _field, known) => found.parseDateTime(text, reading(), known)),
    dateTimeDraft,
  ),
  fromDraft: (draft: string) =>
    draft === HALF
      ? { error: fieldTexts().badDate }
      : figureOf(draft, (found) => found.parseNativeDateTime(draft, reading())),
}

/** Yes or no in any language. */
export const flagOfText = async (text: string): Promise<Parsed> => (await loadFigures()).parseFlag(text, reading())
