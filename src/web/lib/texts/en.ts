import { pluralOf } from './plural.ts'

const { count } = pluralOf('en')

/** What components say, and what many screens do. */
export const en = {
  add: 'Add',
  addAnother: 'Add another',
  awayUntil: (day: string) => `away until ${day}`,
  cancel: 'Cancel',
  chosen: (number: number) => `${number} chosen`,
  clear: 'Clear',
  close: 'Close',
  create: (what: string) => `Create “${what}”`,
  filter: 'Filter',
  filters: 'Filters',
  me: 'Me',
  edit: (what: string) => `Edit ${what}`,
  messages: 'Messages',
  moreSums: (number: number) => `All sums, ${number} more`,
  more: 'More',
  no: 'No',
  nobody: 'Nobody',
  noMatch: 'Nothing matches',
  none: '—',
  optional: 'optional',
  remove: (what: string) => `Remove ${what}`,
  save: 'Save',
  saved: 'Saved',
  saving: 'Saving…',
  waiting: 'Waits to be saved',
  search: 'Search',
  searching: 'Searching…',
  searchFailed: 'The search did not answer. Type on to try again.',
  undo: 'Undo',
  bin: 'Bin',
  redo: 'Redo',
  unknown: 'Unknown',
  yes: 'Yes',
  results: (number: number) => count(number, { one: 'choice', other: 'choices' }),
  inFront: (status: number) =>
    status === 0
      ? 'Something in front of Dealbox sent the request elsewhere.'
      : `Something in front of Dealbox answered ${status}.`,
  noAnswer: 'The server did not answer.',
  changedMeanwhile: 'Somebody has changed or deleted it in the meantime.',
  commandFailed: 'That did not work',
  crash: {
    title: 'This part of the page stopped working',
    text: 'What you saved is safe. Show it again; if it happens twice, reload the page.',
    again: 'Show it again',
  },
}
