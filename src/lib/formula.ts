// A spreadsheet takes a cell that begins with certain signs for a formula, and runs it. Whoever can name a contact
// could so reach into the computer of whoever opens the file.

/** Also behind white space and quotes, which some programs take off first, and in full width, as East Asia writes. */
const FORMULA = /^[\s"'＂＇]*[=+\-@\t\r\n＝＋－＠]/

/** The text of a cell that a spreadsheet shows as it is. */
export const guarded = (text: string): string => (FORMULA.test(text) ? `'${text}` : text)

/** The text as it was before it was guarded. */
export const unguarded = (text: string): string =>
  text.startsWith("'") && FORMULA.test(text.slice(1)) ? text.slice(1) : text
