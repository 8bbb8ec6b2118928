import { pluralOf } from '../../../lib/texts/plural.ts'

const { form } = pluralOf('en')
const conversations = (count: number, number: string) =>
  form(count, { one: '1 conversation', other: `${number} conversations` })

/** What is done with conversations, one or many. */
export const en = {
  select: 'Select',
  selectOne: (name: string) => `Select ${name}`,
  extendDown: 'Select down to the next one',
  extendUp: 'Select up to the previous one',
  clear: 'Clear',
  clearSelection: 'Clear the selection',
  selected: (count: number, number: string) => form(count, { one: '1 selected', other: `${number} selected` }),
  bar: 'What to do with the selection',
  changed: (count: number, number: string) => `${conversations(count, number)} changed`,
  closed: (count: number, number: string) => `${conversations(count, number)} closed`,
  given: (count: number, number: string) => `${conversations(count, number)} given out`,
  byLoad: 'Whoever has the fewest',
  byLoadCommand: 'Give to whoever has the fewest open conversations',
  byLoadNote: 'open conversations',
  tags: 'Tags',
  deal: 'Link a deal',
  dealLabel: 'Find a deal',
  noDeal: 'No deal',
  said: {
    tags: 'Tags changed',
    deal: (name: string) => `Linked to ${name}`,
    noDeal: 'No longer linked to a deal',
  },
  more: 'More',
}
