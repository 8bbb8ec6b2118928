import { pluralOf } from '../../../lib/texts/plural.ts'

const { form } = pluralOf('en')

/** Texts of saved replies. */
export const en = {
  title: 'Saved replies',
  insert: 'Saved reply, ;',
  search: 'Saved replies by title and text',
  edit: 'Edit saved replies…',
  none: 'Nothing is saved yet. Save an answer that you give often, and type ; in a reply to put it in.',
  failed: 'The saved replies could not be loaded',
  add: 'New saved reply',
  change: (title: string) => `Change “${title}”`,
  remove: (title: string) => `Delete “${title}”`,
  removed: (title: string) => `“${title}” is deleted.`,
  name: 'Title',
  text: 'Text',
  textHelp:
    'Variables such as {{contact.first_name}} are filled in. What stands between {{^contact.first_name}} and {{/contact.first_name}} is used where there is none.',
  whose: 'Who has it',
  everyone: 'Everyone',
  onlyMe: 'Only me',
  create: 'Save reply',
  save: 'Save',
  unfilled: (names: string, count: number) =>
    form(count, {
      one: `Not sent: nothing is known for ${names}. Write it yourself, or take it out.`,
      other: `Not sent: nothing is known for ${names}. Write them yourself, or take them out.`,
    }),
  close: 'Close',
}
