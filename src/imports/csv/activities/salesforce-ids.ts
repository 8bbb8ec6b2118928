import type { RecordObject } from '../../writable.ts'

// Ids of Salesforce begin with the kind of the record. Reports have them with 15 characters, which differ in case, and
// exports with 18: the last three say which of the others are capitals.

const ID = /^([A-Za-z0-9]{3})[A-Za-z0-9]{12}(?:[A-Za-z0-9]{3})?$/
const OBJECTS: { readonly [prefix: string]: RecordObject } = {
  '001': 'company',
  '003': 'contact',
  '00Q': 'contact',
  '006': 'deal',
}
/** What Salesforce writes where there is no record. */
export const NO_ID = /^0{15}(?:AAA)?$/

export const recordOfId = (id: string): RecordObject | undefined => OBJECTS[ID.exec(id)?.[1] ?? '']

/** Returns the id as it is written elsewhere, too. */
export function spellingsOfId(id: string): string[] {
  if (recordOfId(id) === undefined) return [id]
  return id.length === 18 ? [id, id.slice(0, 15)] : [id, id + checkOf(id)]
}

const CHECK = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ012345'

const checkOf = (id: string): string =>
  [0, 5, 10]
    .map((from) => {
      const capitals = [...id.slice(from, from + 5)].map((sign, place) => (/[A-Z]/.test(sign) ? 1 << place : 0))
      return CHECK[capitals.reduce((sum, each) => sum + each, 0)]
    })
    .join('')
