import { usage } from '../../../../lib/problem.ts'
import { TABLES } from './tables.ts'

// The encodings of files, by the names of the Encoding Standard; those of DOS and older Macs by their usual ones.

/** Turns bytes into text; with `stream`, more bytes follow. Throws a TypeError for bytes that are no text. */
export type Decoder = { decode: (bytes?: Uint8Array, options?: { stream?: boolean }) => string }

/** Names that the standard does not know. */
const ALIASES: Record<string, string> = {
  ansi: 'windows-1252',
  macroman: 'macintosh',
  'mac-roman': 'macintosh',
  mac: 'macintosh',
  'mac-cyrillic': 'x-mac-cyrillic',
  'mac-ce': 'x-mac-ce',
  'mac-centraleurope': 'x-mac-ce',
  'mac-greek': 'x-mac-greek',
  'mac-turkish': 'x-mac-turkish',
  cp437: 'ibm437',
  cp850: 'ibm850',
  cp852: 'ibm852',
  dos: 'ibm850',
  cp874: 'windows-874',
  cp932: 'shift_jis',
  cp936: 'gb18030',
  gbk: 'gb18030',
  gb2312: 'gb18030',
  cp949: 'euc-kr',
  uhc: 'euc-kr',
  cp950: 'big5',
  utf16: 'utf-16le',
  utf8: 'utf-8',
}

/** The encoding of a name; undefined if there is none. */
export function encodingNamed(name: string): string | undefined {
  const wanted = name.trim().toLowerCase().replaceAll('_', '-')
  const own = ALIASES[wanted] ?? wanted
  if (own in TABLES) return own
  for (const label of [own, own.replaceAll('-', '_')]) {
    try {
      const { encoding } = new TextDecoder(label)
      return ALIASES[encoding] ?? encoding
    } catch {}
  }
  return undefined
}

/** The decoder of an encoding, which refuses bytes that are no text if it is strict. */
export function decoderOf(encoding: string, isStrict = false): Decoder {
  const table = TABLES[encoding]
  if (table) return byTable(table)
  const decoder = new TextDecoder(encoding, { fatal: isStrict })
  // It has accents as characters of their own, which the rest of Vietnamese text has not.
  if (encoding !== 'windows-1258') return decoder
  return composed(decoder)
}

function byTable(table: string): Decoder {
  return {
    decode(bytes = new Uint8Array()) {
      let text = ''
      for (const byte of bytes) text += byte < 0x80 ? String.fromCharCode(byte) : table[byte - 0x80]
      return text
    },
  }
}

/** A character is held back until it is certain that no accent follows. */
function composed(decoder: TextDecoder): Decoder {
  let held = ''
  return {
    decode(bytes, options) {
      const text = held + decoder.decode(bytes, options)
      const whole = options?.stream ? text.replace(/.\p{M}*$/su, '') : text
      held = text.slice(whole.length)
      return whole.normalize('NFC')
    },
  }
}

/** Throws a usage Problem for a name that is none. */
export function checkEncoding(name: string): string {
  const encoding = encodingNamed(name)
  if (encoding !== undefined) return encoding
  throw usage(
    `--encoding ${name} is not known. Use a name such as utf-8, windows-1250, windows-1252, shift_jis, gb18030, big5, euc-kr, koi8-r, macintosh or ibm850.`,
  )
}
