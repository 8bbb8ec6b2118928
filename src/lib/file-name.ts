// Names of files that strangers chose, as they can be saved anywhere.

const MAX_LENGTH = 255
/** What shows nothing: what turns the direction of writing hides what a file is, as in "gpj.exe" read backwards. */
const HIDDEN = /[\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\p{Cc}]/gu
/** Windows opens a device under these names, whatever the ending. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|clock\$|com[0-9¹²³]|lpt[0-9¹²³])\s*(?:\.|$)/i
/** The bound of stream-safe text, as `clean` in fields.ts has it. */
const MARKS = /(\p{M}{30})\p{M}+/gu

/**
 * The name without a path, without signs that show nothing, without dots and blanks at either end, as no device of
 * Windows and no stream of another file, in NFC and at most 255 characters with its ending; `otherwise` where nothing is
 * left. It is well-formed where the given name is.
 */
export function fileName(given: string, otherwise = 'attachment'): string {
  const [last = ''] = given.replace(HIDDEN, '').split(/[/\\]/).slice(-1)
  const name = trimmed(shortened(trimmed(normalized(last).replaceAll(':', '_'))))
  if (name === '') return otherwise
  return DEVICE.test(name) ? shortened(`_${name}`) : name
}

/** Normalizing may make two marks of one. */
const normalized = (text: string): string => text.replace(MARKS, '$1').normalize('NFC').replace(MARKS, '$1')

const trimmed = (name: string): string => name.replace(/^[.\s]+/, '').replace(/[.\s]+$/, '')

/** What a file is shows at the end of its name. */
function shortened(name: string): string {
  const chars = [...name]
  if (chars.length <= MAX_LENGTH) return name
  const [ending = ''] = /\.[A-Za-z0-9]{1,10}$/.exec(name) ?? []
  return chars.slice(0, MAX_LENGTH - ending.length).join('') + ending
}
