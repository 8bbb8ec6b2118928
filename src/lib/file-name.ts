// File names from untrusted sources, made safe to save anywhere.

const MAX_LENGTH = 255
/**
 * Invisible characters; those that change the writing direction disguise the file type, as in "gpj.exe" read backwards.
 */
const HIDDEN = /[\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\p{Cc}]/gu
/** Windows opens a device under these names, whatever the extension. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|clock\$|com[0-9¹²³]|lpt[0-9¹²³])\s*(?:\.|$)/i
/** The limit of stream-safe text, as in `clean` of fields.ts. */
const MARKS = /(\p{M}{30})\p{M}+/gu

/**
 * The name without a path, invisible characters, and dots and blanks at either end; never a device or an alternate data
 * stream of Windows; in NFC and at most 255 characters including the extension. Returns `otherwise` if nothing is left.
 * Well-formed if the given name is.
 */
export function fileName(given: string, otherwise = 'attachment'): string {
  const [last = ''] = given.replace(HIDDEN, '').split(/[/\\]/).slice(-1)
  const name = trimmed(shortened(trimmed(normalized(last).replaceAll(':', '_'))))
  if (name === '') return otherwise
  return DEVICE.test(name) ? shortened(`_${name}`) : name
}

/** Normalizing can turn one mark into two. */
const normalized = (text: string): string => text.replace(MARKS, '$1').normalize('NFC').replace(MARKS, '$1')

/** Not by a regular expression with an end: it would look at each blank of a long run again. */
function trimmed(name: string): string {
  let end = name.length
  while (end > 0 && /[.\s]/.test(name[end - 1] as string)) end--
  return name.slice(0, end).replace(/^[.\s]+/, '')
}

/** Keeps the extension, which shows the file type. */
function shortened(name: string): string {
  const chars = [...name]
  if (chars.length <= MAX_LENGTH) return name
  const [ending = ''] = /\.[A-Za-z0-9]{1,10}$/.exec(name) ?? []
  return chars.slice(0, MAX_LENGTH - ending.length).join('') + ending
}
