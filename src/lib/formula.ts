// Spreadsheets run a cell that starts with certain characters as a formula. Anyone who can name a contact could attack
// the computer of a user who opens the file.

/** Also after white space and quotes, which some programs strip first, and in full width, as used in East Asia. */
const FORMULA = /^[\s"'＂＇]*[=+\-@\t\r\n＝＋－＠]/

/** The text of a cell that a spreadsheet shows unchanged. */
export const guarded = (text: string): string => (FORMULA.test(text) ? `'${text}` : text)

/** Reverts `guarded`, and the formula by which programs keep the zeros of a number: `="0815"`. */
export function unguarded(text: string): string {
  const [, kept] = /^="([^"]*)"$/.exec(text) ?? []
  return kept ?? (text.startsWith("'") && FORMULA.test(text.slice(1)) ? text.slice(1) : text)
}
