import * as v from 'valibot'
import { emailKey } from '../lib/email.ts'
import * as f from '../lib/fields.ts'
import { dialKey } from '../lib/written/people/phones.ts'

// The emails and phones of a contact: without duplicates, and one of each kind is primary.

const label = f.oneOf(['work', 'home', 'other'])

export const Email = f.named('ContactEmail', f.object({ email: f.email, label, is_primary: f.flag }))
export type Email = v.InferOutput<typeof Email>

export const Phone = f.named('ContactPhone', f.object({ number: f.phone, label, is_primary: f.flag }))
export type Phone = v.InferOutput<typeof Phone>

/** Phones are compared by what is dialled, without regard to signs and to what stands around them. */
export const phoneKey = dialKey

/** The optional members of an email or a phone. */
const optional = { label: v.exactOptional(label, 'work'), is_primary: v.exactOptional(f.flag, false) }

const EmailGiven = f.named('ContactEmailInput', f.object({ email: f.email, ...optional }))
const PhoneGiven = f.named('ContactPhoneInput', f.object({ number: f.phone, ...optional }))

export const EmailsGiven = given(EmailGiven, ({ email }) => emailKey(email))
export const PhonesGiven = given(PhoneGiven, ({ number }) => phoneKey(number))

function given<Method extends { is_primary: boolean }>(
  schema: v.GenericSchema<unknown, Method>,
  keyOf: (method: Method) => string,
) {
  return v.pipe(
    f.arrayOf(schema),
    v.check(
      (methods) => methods.filter(({ is_primary }) => is_primary).length <= 1,
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
    v.transform((methods) =>
      methods.some(({ is_primary }) => is_primary)
        ? methods
        : methods.map((method, index) => ({ ...method, is_primary: index === 0 })),
    ),
    v.description('Exactly one item is primary: the first one if none is marked. A PATCH replaces all items.'),
  )
}

export type NameSource = { first_name: string | null; last_name: string | null; emails: Email[]; phones: Phone[] }

/** Returns the display name of a contact: its name, primary email or primary phone; '' if it has none of them. */
export function nameOf({ first_name, last_name, emails, phones }: NameSource): string {
  const name = `${first_name?.trim() ?? ''} ${last_name?.trim() ?? ''}`.trim()
  return name || (primary(emails)?.email ?? primary(phones)?.number ?? '')
}

const primary = <Method extends Email | Phone>(methods: Method[]): Method | undefined =>
  methods.find(({ is_primary }) => is_primary)
