/** Days and times: "19/11/2026, 3:30 pm" has digits enough for a phone. */
const MOMENTS = /(?<!\d)(?:\d{1,4}([/.-])\d{1,2}\1\d{1,4}(?:T(?=\d))?|\d{1,2}(?::\d\d){1,2}(?:[.,]\d+)?)(?!\d)/g

/** Whether a pasted text is about somebody, and more than a name or an address alone. */
export function isAboutPeople(text: string): boolean {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  if (/\S\s*<[^<>\s]+@[^<>\s]+>/.test(text) || /^\s*BEGIN:VCARD\s*$/im.test(text)) return true
  const hasReach = /\S@\S/.test(text) || /\d(?:[\s()/.-]*\d){5}/.test(text.replace(MOMENTS, ';'))
  return hasReach && (lines.length > 1 || /[\t;,|]/.test(text.trim()) || /\S+@\S+\s+\S|\S\s+\S+@\S+/.test(text.trim()))
}
