import * as v from 'valibot'
import * as f from '../../lib/fields.ts'

// The emails and phones of a contact: each once, and one of each kind primary.

const label = f.oneOf(['work', 'home', 'other'])

export const Email = f.object({ email: f.email, label, is_primary: f.flag })
export type Email = v.InferOutput<typeof Email>

export const Phone = f.object({ number: f.phone, label, is_primary: f.flag })
export type Phone = v.InferOutput<typeof Phone>

/** Emails compare without case. */
export const emailKey = (email: string): string => email.normalize('NFC').toLowerCase()
/** Phones compare without the spaces and signs that people group digits with. */
export const phoneKey = (number: string): string => number.replace(/[\s()./-]/g, '').toLowerCase()

/** What may be left out of an email or a phone. */
const marks = { label: v.exactOptional(label, 'work'), is_primary: v.exactOptional(f.flag, false) }

export const EmailsGiven = given(f.object({ email: f.email, ...marks }), ({ email }) => emailKey(email))
export const PhonesGiven = given(f.object({ number: f.phone, ...marks }), ({ number }) => phoneKey(number))

function given<Way extends { is_primary: boolean }>(way: v.GenericSchema<unknown, Way>, keyOf: (way: Way) => string) {
  return v.pipe(
    f.arrayOf(way),
    v.check(
      (ways) => ways.filter(({ is_primary }) => is_primary).length <= 1,
      'more_than_one_primary|must have at most one item with is_primary',
    ),
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed) return
      const keys = dataset.value.map(keyOf)
      dataset.value.forEach((value, key) => {
        if (keys.indexOf(keys[key] as string) === key) return
        addIssue({
          message: 'repeated|is already in this list',
          path: [{ type: 'array', origin: 'value', input: dataset.value, key, value }],
        })
      })
    }),
    v.transform((ways) =>
      ways.some(({ is_primary }) => is_primary)
        ? ways
        : ways.map((one, index) => ({ ...one, is_primary: index === 0 })),
    ),
    v.description('Exactly one item is primary: the first one if none is marked. A PATCH replaces all items.'),
  )
}

type Reach = { first_name: string | null; last_name: string | null; emails: Email[]; phones: Phone[] }

/** What lists show of a contact: its name, else its primary email, else its primary phone; '' where it has none. */
export function nameOf({ first_name, last_name, emails, phones }: Reach): string {
  const name = `${first_name?.trim() ?? ''} ${last_name?.trim() ?? ''}`.trim()
  return name || (primary(emails)?.email ?? primary(phones)?.number ?? '')
}

const primary = <Way extends Email | Phone>(ways: Way[]): Way | undefined => ways.find(({ is_primary }) => is_primary)
