/** Converts digits of other scripts to 0-9. */
export const asciiDigits = (text: string): string =>
  /^[\x20-\x7e]*$/.test(text)
    ? text
    : text.replace(/(?![0-9])\p{Nd}/gu, (digit) => digitOf(digit.codePointAt(0) as number))

/** Unicode has the digits of each script in a row, from zero on; one script may directly follow another. */
function digitOf(codePoint: number): string {
  let below = 0
  while (/\p{Nd}/u.test(String.fromCodePoint(codePoint - below - 1))) below++
  return String(below % 10)
}
