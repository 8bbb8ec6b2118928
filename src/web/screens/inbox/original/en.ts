import { pluralOf } from '../../../lib/texts/plural.ts'

const { form } = pluralOf('en')

export const en = {
  title: 'Original of the mail',
  header: 'Header of the mail',
  copy: 'Copy header',
  copied: 'Header copied',
  save: 'Save as .eml',
  close: 'Close',
  failed: 'The original could not be read',
  none: 'No original is kept',
  noneBody: (days: number, number: string, room: string) =>
    days === 0
      ? 'The settings of the organisation say that no originals are kept.'
      : form(days, {
          one: `Originals are kept for a day, the newest ${room} of them. This one is older than that or came before Dealbox kept them, or the message never was a mail.`,
          other: `Originals are kept for ${number} days, the newest ${room} of them. This one is older than that or came before Dealbox kept them, or the message never was a mail.`,
        }),
  size: (size: string) => `${size}, as it came in or left`,
  cut: (kept: string, size: string) => `The mail has ${size}, which is too much to keep. These are its first ${kept}.`,
  headCut: 'The header goes on; the file has the rest.',
}
