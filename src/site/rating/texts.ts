import type { Language } from '../../mail/satisfaction/words.ts'

/** What the page says around the words of the mail, in the language of the browser. */
const en = {
  lead: (org: string) => `${org} asks about the answer that you got by mail.`,
  chosen: 'Your answer:',
  comment: 'Do you want to add something? (optional)',
  send: 'Send answer',
  other: (answer: string) => `Choose “${answer}” instead`,
  thanks: 'Thank you',
  stored: (answer: string) => `Your answer was stored: ${answer}.`,
  change: 'You can still change it.',
  tooLong: 'Please shorten what you have written: 1,000 characters fit.',
  over: 'It is too late to answer',
  overBody:
    'Answers are taken for 90 days, and an answer can be changed only so often. You can always reply to the mail.',
  broken: 'This link does not work',
  brokenBody:
    'The link is incomplete, was changed, or its mail is not kept any more. Open it from the mail again, or reply to that mail.',
  member: 'This question is for the customer',
  memberBody: 'You are signed in here as a member of the organisation that asks. Nothing was stored.',
  failed: 'Something went wrong',
  failedBody: 'Nothing was stored, and this is not your fault. Open the link from the mail again in a few minutes.',
}
const de: typeof en = {
  lead: (org) => `${org} fragt nach der Antwort, die Sie per Mail bekommen haben.`,
  chosen: 'Ihre Antwort:',
  comment: 'Möchten Sie etwas hinzufügen? (freiwillig)',
  send: 'Antwort senden',
  other: (answer) => `Stattdessen „${answer}“ wählen`,
  thanks: 'Vielen Dank',
  stored: (answer) => `Ihre Antwort ist gespeichert: ${answer}.`,
  change: 'Sie können sie noch ändern.',
  tooLong: 'Bitte kürzen Sie Ihren Text: 1.000 Zeichen passen.',
  over: 'Es ist zu spät für eine Antwort',
  overBody:
    'Antworten zählen 90 Tage lang, und eine Antwort lässt sich nur begrenzt oft ändern. Auf die Mail antworten können Sie immer.',
  broken: 'Dieser Link funktioniert nicht',
  brokenBody:
    'Der Link ist unvollständig, wurde verändert, oder seine Mail gibt es nicht mehr. Öffnen Sie ihn noch einmal aus der Mail, oder antworten Sie auf sie.',
  member: 'Diese Frage ist für den Kunden',
  memberBody: 'Sie sind hier als Mitglied der Organisation angemeldet, die fragt. Es wurde nichts gespeichert.',
  failed: 'Etwas ist schiefgegangen',
  failedBody:
    'Es wurde nichts gespeichert, und es liegt nicht an Ihnen. Öffnen Sie den Link aus der Mail in ein paar Minuten noch einmal.',
}
export const TEXTS: Record<Language, typeof en> = { en, de }
