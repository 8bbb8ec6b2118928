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
  moved: (count: number, number: string) => `${conversations(count, number)} moved`,
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
    spam: 'Marked as spam. Further mails of this sender come to Spam.',
    released: (email: string) => `${email} is no longer spam`,
    mailbox: (name: string) => `Moved to ${name}`,
    merged: (number: string) => `Merged into #${number}`,
    split: (number: string) => `Split off as #${number}`,
  },
  more: 'More',
  merge: 'Merge into another conversation',
  mergeLabel: 'Find the conversation that stays',
  split: 'Split off as its own conversation',
  mailbox: 'Move to another mailbox',
  mailboxLabel: 'Move to',
  notMoved: 'Nothing was moved',
  movedTo: (name: string, by: string) => `Moved to ${name}${by ? ` by ${by}` : ''}`,
  movedLines: {
    merged: (number: string, by: string) => `Merged into #${number}${by ? ` by ${by}` : ''}`,
    merged_in: (number: string, by: string) => `#${number} was merged into this one${by ? ` by ${by}` : ''}`,
    split_off: (number: string, by: string) => `A message was split off as #${number}${by ? ` by ${by}` : ''}`,
    split_from: (number: string, by: string) => `Split off from #${number}${by ? ` by ${by}` : ''}`,
  },
  spam: {
    mark: 'Mark as spam',
    senders: 'Whose mails come here',
    listed: (time: string, by: string) => `listed ${time}${by ? ` by ${by}` : ''}`,
    held: (count: number, number: string, last: string) =>
      count === 0
        ? 'no mail since'
        : form(count, { one: `1 mail since, ${last}`, other: `${number} mails since, the last ${last}` }),
    release: 'Not spam',
    releaseOne: (email: string) => `Not spam: ${email}`,
    notMarked: 'It was not marked as spam',
    notReleased: 'The sender is still listed',
    ask: 'Mark this sender as spam?',
    asks: {
      confirm_open_deal:
        'There is an open deal with this contact. Their further mails would come to Spam, without a notice.',
      confirm_own_domain: 'This address is of your own domain. Its further mails would come to Spam, without a notice.',
    },
    answers: { keep: 'Cancel', verb: 'Mark as spam' },
  },
  openOther: (number: string) => `Open #${number}`,
}
