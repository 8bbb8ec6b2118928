import { isAscii, isUtf8 } from 'node:buffer'
import { CODE_PAGES } from './code-pages.ts'

// Mails use obscure charset labels, wrong ones, or none. The result has to be readable: where the bytes contradict
// their label, the bytes win.

/** Decodes bytes. `label` is the charset that the mail names. Never throws; undecodable bytes become U+FFFD. */
export function decodeText(bytes: Buffer, label?: string | null): string {
  if (bytes.length === 0) return ''
  const encoding = encodingOf(label)
  if (encoding?.startsWith('utf-16') || encoding?.startsWith('utf-32')) return decodeWide(bytes, encoding)
  const shifted = SHIFTING.get(encoding ?? '') ?? (hasEscape(bytes) ? SHIFTING.get('iso-2022-jp') : undefined)
  if (shifted) return shifted(bytes)
  if (isAscii(bytes)) return bytes.toString('latin1')
  if (encoding && CJK.has(encoding)) return decodeCjk(bytes, encoding)
  // Text in a one-byte charset is hardly ever valid UTF-8 by chance: its non-ASCII letters would have to come in pairs.
  if (isWholeUtf8(bytes)) return utf8(bytes)
  if (encoding === undefined || encoding === 'utf-8' || encoding === 'windows-1252') return guess(bytes, encoding)
  return decodeOneByte(bytes, encoding)
}

const utf8 = (bytes: Buffer): string => new TextDecoder().decode(bytes)

/** Whether the bytes are UTF-8, even if the last character was cut. */
function isWholeUtf8(bytes: Buffer): boolean {
  if (isUtf8(bytes)) return true
  // An incomplete character occupies at most the last three bytes.
  let start = bytes.length
  while (start > 0 && bytes.length - start < 3 && (bytes[start - 1]! & 0xc0) === 0x80) start--
  const whole = bytes.subarray(0, Math.max(start - 1, 0))
  return (bytes[start - 1] ?? 0) >= 0xc2 && !isAscii(whole) && isUtf8(whole)
}

/** Detects ISO 2022 text that is not labelled as such. */
const hasEscape = (bytes: Buffer): boolean => bytes.includes('\u001b$') || bytes.includes('\u001b(J')

const CJK = new Set(['shift_jis', 'euc-jp', 'gb18030', 'gbk', 'big5', 'euc-kr'])

const BY_NUMBER = new Map<number, string>([
  [866, 'ibm866'],
  [874, 'windows-874'],
  [932, 'shift_jis'],
  [936, 'gb18030'],
  [949, 'euc-kr'],
  [950, 'big5'],
  [1200, 'utf-16le'],
  [1201, 'utf-16be'],
  [10000, 'macintosh'],
  [20127, 'windows-1252'],
  [20866, 'koi8-r'],
  [21866, 'koi8-u'],
  [50220, 'iso-2022-jp'],
  [50221, 'iso-2022-jp'],
  [50222, 'iso-2022-jp'],
  [51932, 'euc-jp'],
  [51949, 'euc-kr'],
  [54936, 'gb18030'],
  [65000, 'utf-7'],
  [65001, 'utf-8'],
  [819, 'windows-1252'],
])

/** Encodings by label: labels as programs write them, stripped to letters and digits. */
const BY_NAME: [RegExp, string][] = [
  [/^(?:unicode11)?utf7(?:imap)?$/, 'utf-7'],
  [/^(?:x?unicode\d*)?utf8(?:mb[34]|n|bom)?$/, 'utf-8'],
  [/^utf16(?:le|be)?$/, ''],
  [/^utf32(?:le|be)?$|^ucs4$/, 'utf-32'],
  [/iso2022kr/, 'iso-2022-kr'],
  [/iso2022cn/, 'iso-2022-cn'],
  [/iso2022jp|junet/, 'iso-2022-jp'],
  [/^hz/, 'hz-gb-2312'],
  [/^x?gb(?:k|18030|2312|1988)|euccn/, 'gb18030'],
  [/big5|^cnbig/, 'big5'],
  [/shiftjis|sjis|windows31j|mskanji/, 'shift_jis'],
  [/eucjp/, 'euc-jp'],
  [/euckr|ksc5601|ks_?c|uhc|johab/, 'euc-kr'],
  [/tis620|iso885911/, 'windows-874'],
  [/koi8u|koi8ru/, 'koi8-u'],
  [/koi8/, 'koi8-r'],
  [/macce|maccentral|maclatin2/, 'cp10029'],
  [/^x?mac(?:intosh|roman)?$/, 'macintosh'],
  [/maccyr|macukr/, 'x-mac-cyrillic'],
  [/ascii|^ansi(?!\d*125)|646|^latin1$|^l1$|^default$|^western/, 'windows-1252'],
]

/**
 * Returns an encoding that `decodeText` supports, or undefined for an unknown label. Cached: labels are few, and mails
 * many.
 */
const cache = new Map<string, string | undefined>()
function encodingOf(label: string | null | undefined): string | undefined {
  if (!label || label.length > 60) return undefined
  const cached = cache.get(label)
  if (cached !== undefined || cache.has(label)) return cached
  const encoding = findEncoding(label.toLowerCase().replace(/^["'\s]+|["'\s]+$/g, ''))
  if (cache.size < 200) cache.set(label, encoding)
  return encoding
}

function findEncoding(label: string): string | undefined {
  const bare = label.replace(/[^a-z0-9]/g, '')
  if (/^utf16/.test(bare) || bare === 'ucs2') return bare.endsWith('be') ? 'utf-16be' : 'utf-16le'
  if (/unknown|8bit|userdefined|replacement/.test(bare)) return undefined
  for (const [pattern, encoding] of BY_NAME) if (encoding && pattern.test(bare)) return encoding
  const [, number] = /^(?:x|cs|xcp|cp|ibm|dos|pc|ms|win|xwin|windows|ansi|codepage)?(\d{3,5})$/.exec(bare) ?? []
  if (number) {
    const page = Number(number)
    if (CODE_PAGES.has(page)) return `cp${page}`
    if (page >= 1250 && page <= 1258) return `windows-${page}`
    if (page >= 28591 && page <= 28606) return decoderName(`iso-8859-${page - 28590}`)
    const encoding = BY_NUMBER.get(page)
    if (encoding) return encoding
  }
  const [, part] = /^(?:x|cs)?(?:iso)?8859(1[0-6]|[1-9])/.exec(bare) ?? []
  if (part) return decoderName(`iso-8859-${part}`)
  return decoderName(label) ?? decoderName(bare)
}

function decoderName(label: string): string | undefined {
  try {
    return new TextDecoder(label).encoding
  } catch {
    return undefined
  }
}

function decodeOneByte(bytes: Buffer, encoding: string): string {
  const page = encoding.startsWith('cp') ? CODE_PAGES.get(Number(encoding.slice(2))) : undefined
  if (!page) return new TextDecoder(encoding).decode(bytes)
  return bytes.toString('latin1').replace(/[\u0080-\u00ff]/g, (char) => page[char.charCodeAt(0) - 128] as string)
}

/** Two characters in these encodings may be valid UTF-8 by chance; four hardly ever are. */
const CHANCE_BYTES = 8

function decodeCjk(bytes: Buffer, encoding: string): string {
  const high = isUtf8(bytes) ? count(bytes.toString('latin1', 0, 4096), /[\u0080-\u00ff]/g) : 0
  if (high >= CHANCE_BYTES) return utf8(bytes)
  const text = new TextDecoder(encoding).decode(bytes)
  return text.includes('\ufffd') && isWholeUtf8(bytes) ? utf8(bytes) : text
}

/** Decodes two or four bytes per character. If such a text contains no zero byte, its label is wrong. */
function decodeWide(bytes: Buffer, encoding: string): string {
  const head = bytes.subarray(0, 4096)
  const hasMark = bytes.length > 1 && ((head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff))
  if (!hasMark && !head.includes(0) && isWholeUtf8(bytes)) return utf8(bytes)
  if (encoding === 'utf-32') return decodeUtf32(bytes)
  const zeros = [0, 0]
  for (const [index, byte] of head.entries()) if (byte === 0) zeros[index % 2]! += 1
  const isBig = hasMark ? head[0] === 0xfe : zeros[0] === zeros[1] ? encoding === 'utf-16be' : zeros[0]! > zeros[1]!
  return new TextDecoder(isBig ? 'utf-16be' : 'utf-16le').decode(bytes)
}

function decodeUtf32(bytes: Buffer): string {
  const isBig = bytes[0] === 0
  const chars: string[] = []
  for (let at = 0; at + 4 <= bytes.length; at += 4) {
    const code = isBig ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at)
    if (code !== 0xfeff) chars.push(code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd')
  }
  return chars.join('')
}

/** Seven-bit encodings that switch between character sets by shift sequences. */
const SHIFTING = new Map<string, (bytes: Buffer) => string>([
  ['utf-7', decodeUtf7],
  ['iso-2022-jp', (bytes) => new TextDecoder('iso-2022-jp').decode(bytes)],
  [
    'iso-2022-kr',
    (bytes) => new TextDecoder('euc-kr').decode(lifted(bytes, /\u001b\$\)C/g, /\u000e([^\u000f\n]*)\u000f?/g)),
  ],
  [
    'iso-2022-cn',
    (bytes) => new TextDecoder('gbk').decode(lifted(bytes, /\u001b\$[)*][AGH]/g, /\u000e([^\u000f\n]*)\u000f?/g)),
  ],
  ['hz-gb-2312', decodeHz],
])

/** Sets the eighth bit of the characters between the two shifts, which turns them into the eight-bit encoding. */
function lifted(bytes: Buffer, dropped: RegExp, shifted: RegExp): Buffer {
  const text = bytes
    .toString('latin1')
    .replace(dropped, '')
    .replace(shifted, (_, run: string) =>
      run.replace(/[\u0021-\u007e]/g, (char) => String.fromCharCode(char.charCodeAt(0) + 128)),
    )
  return Buffer.from(text, 'latin1')
}

/** RFC 1843. */
function decodeHz(bytes: Buffer): string {
  let isShifted = false
  const text = bytes.toString('latin1').replace(/~[{}~\n]|\n|[^~\n]+/g, (token) => {
    if (token === '~~') return '~'
    isShifted = token === '~{' || (isShifted && token.length > 0 && !/^(?:~\}|\n)$/.test(token))
    if (token.startsWith('~')) return ''
    return isShifted ? token.replace(/[!-~]/g, (char) => String.fromCharCode(char.charCodeAt(0) + 128)) : token
  })
  return new TextDecoder('gbk').decode(Buffer.from(text, 'latin1'))
}

/** RFC 2152. */
function decodeUtf7(bytes: Buffer): string {
  const decoder = new TextDecoder('utf-16be')
  return bytes.toString('latin1').replace(/\+([A-Za-z0-9+/]*)-?/g, (whole, run: string) => {
    if (run === '') return whole === '+-' ? '+' : whole
    const units = Buffer.from(run, 'base64')
    return decoder.decode(units.subarray(0, units.length & ~1))
  })
}

const SAMPLE_BYTES = 65_536
const COMMON_HAN =
  /[的一是不了在人有我他这這个個们們中来來上大为為和国國地到以说說时時要就出会會可也你对對生能而子那得于着下自之年过過发發后後作里用道行所然家种種事成方多]/g

/** How to recognise languages in their legacy encodings: `share` is reached by real text and not by other bytes. */
const GUESSES: { encoding: string; signs: RegExp; share: number }[] = [
  { encoding: 'shift_jis', signs: /[\u3041-\u30fe]/g, share: 0.3 },
  { encoding: 'euc-jp', signs: /[\u3041-\u30fe]/g, share: 0.3 },
  { encoding: 'euc-kr', signs: /[\uac00-\ud7a3]/g, share: 0.7 },
  { encoding: 'gb18030', signs: COMMON_HAN, share: 0.1 },
  { encoding: 'big5', signs: COMMON_HAN, share: 0.1 },
  { encoding: 'windows-1251', signs: /(?<=[А-Яа-яё])[а-яё](?=[а-яё])/g, share: 0.35 },
  { encoding: 'koi8-r', signs: /(?<=[А-Яа-яё])[а-яё](?=[а-яё])/g, share: 0.35 },
]

/** Decodes bytes that are not UTF-8 and have no other plausible label. */
function guess(bytes: Buffer, encoding: string | undefined): string {
  const text = utf8(bytes)
  const broken = count(text, /\ufffd/g)
  // A long text with a few characters damaged in transit is still UTF-8.
  if (broken * 4 <= count(text, /[^\0-\u007f\ufffd]/g)) return text
  const sample = bytes.subarray(0, SAMPLE_BYTES)
  for (const { encoding: name, signs, share } of encoding === 'windows-1252' ? GUESSES.slice(5) : GUESSES) {
    const tried = new TextDecoder(name).decode(sample)
    const others = count(tried, /[^\0-\u007f]/g)
    if (count(tried, /[\ufffd\ue000-\uf8ff]/g) * 50 <= others && count(tried, signs) >= others * share && others > 3)
      return new TextDecoder(name).decode(bytes)
  }
  return new TextDecoder('windows-1252').decode(bytes)
}

function count(text: string, pattern: RegExp): number {
  let found = 0
  for (const _ of text.matchAll(pattern)) found++
  return found
}
