import { pluralOf } from '../../lib/texts/plural.ts'

const { form } = pluralOf('en')

/** Texts of the rules. */
export const en = {
  summary: 'What happens to mail that comes in',
  intro:
    'All of them are tried with each mail, from top to bottom; the first that says something of the owner, the priority or the answer decides it. They are written in the settings document: an administrator of the server changes them with “dealbox settings”.',
  none: 'No rules yet',
  noneBody:
    'A rule gives mails to somebody, tags them, sets their priority, answers or closes them. Rules are written in the settings document, with “dealbox settings apply”.',
  failed: 'The rules could not be loaded',
  off: 'off',
  when: {
    any: 'Each mail',
    mail: 'A mail',
    mailbox: (key: string) => `to ${key}`,
    from: (who: string) => `from ${who}`,
    subject: (words: string) => `with “${words}” in its subject`,
    text: (words: string) => `with “${words}” in its text`,
    new: 'by a new sender',
    known: 'by a known sender',
  },
  does: {
    assign: (name: string) => `goes to ${name}`,
    tags: (names: string) => `is tagged ${names}`,
    priority: (name: string) => `gets the priority ${name}`,
    answer: 'is answered with the text below',
    close: 'is closed',
  },
  sentence: (when: string, does: string) => `${when} ${does}.`,
  fits: (count: number, looked: number) =>
    form(count, { one: `Fits 1 of the last ${looked} mails`, other: `Fits ${count} of the last ${looked} mails` }),
  fitsNone: (looked: number) => `Fits none of the last ${looked} mails`,
  silences: {
    no_contact: 'not answered: no sender',
    automatic: 'not answered: written by a machine',
    list: 'not answered: by a list',
    ours: 'not answered: one of us',
    no_reply: 'not answered: nobody reads that address',
    no_return_path: 'not answered: no return path',
    doubtful: 'not answered: the sender may be forged',
    often: 'not answered: had an answer already',
  },
}
