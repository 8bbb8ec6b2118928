import { COMMON } from './samples.ts'

// How likely texts are in the encodings with two bytes for each Chinese, Japanese or Korean character.

type Language = keyof typeof COMMON

/** The bytes of a character, and of what sort it is by them. `step` of 0: no character begins there. */
type Step = (bytes: Uint8Array, at: number) => { step: number; sort: Sort }

/** `first`: among those that the standard has for daily use; `second`: the others; `more`: of later extensions. */
type Sort = 'ascii' | 'first' | 'second' | 'more' | 'kana' | 'half' | 'hangul' | 'sign'

export type Ideographs = { encoding: string; language: Language; rare: number; step: Step }

const between = (byte: number | undefined, from: number, to: number): boolean =>
  byte !== undefined && byte >= from && byte <= to

const NONE = { step: 0, sort: 'sign' } as const
const ascii = { step: 1, sort: 'ascii' } as const
const two = (sort: Sort) => ({ step: 2, sort })

const shiftJis: Step = (bytes, at) => {
  const [lead, trail] = [bytes[at] as number, bytes[at + 1]]
  if (lead < 0x80) return ascii
  if (between(lead, 0xa1, 0xdf)) return { step: 1, sort: 'half' }
  if (!(between(trail, 0x40, 0x7e) || between(trail, 0x80, 0xfc))) return NONE
  if (lead === 0x81 || lead === 0x84 || lead === 0x87) return two('sign')
  if (lead === 0x82 || lead === 0x83) return two('kana')
  if (between(lead, 0x88, 0x97) || (lead === 0x98 && (trail as number) <= 0x72)) return two('first')
  if (between(lead, 0x98, 0x9f) || between(lead, 0xe0, 0xea)) return two('second')
  return between(lead, 0xed, 0xfc) ? two('more') : NONE
}

const eucJp: Step = (bytes, at) => {
  const [lead, trail] = [bytes[at] as number, bytes[at + 1]]
  if (lead < 0x80) return ascii
  if (!between(trail, 0xa1, 0xfe)) return NONE
  if (lead === 0x8e) return two('half')
  if (lead === 0x8f) return between(bytes[at + 2], 0xa1, 0xfe) ? { step: 3, sort: 'more' } : NONE
  if (lead === 0xa4 || lead === 0xa5) return two('kana')
  if (between(lead, 0xa1, 0xa8) || lead === 0xad) return two('sign')
  return between(lead, 0xb0, 0xcf) ? two('first') : between(lead, 0xd0, 0xf4) ? two('second') : NONE
}

const gb18030: Step = (bytes, at) => {
  const [lead, trail] = [bytes[at] as number, bytes[at + 1]]
  if (lead < 0x80) return ascii
  if (!between(lead, 0x81, 0xfe)) return NONE
  if (between(trail, 0x30, 0x39))
    return between(bytes[at + 2], 0x81, 0xfe) && between(bytes[at + 3], 0x30, 0x39) ? { step: 4, sort: 'more' } : NONE
  if (!between(trail, 0x40, 0xfe) || trail === 0x7f) return NONE
  if (!between(trail, 0xa1, 0xfe)) return two('more')
  if (lead === 0xa4 || lead === 0xa5) return two('kana')
  if (between(lead, 0xa1, 0xa9)) return two('sign')
  return between(lead, 0xb0, 0xd7) ? two('first') : between(lead, 0xd8, 0xf7) ? two('second') : two('more')
}

const big5: Step = (bytes, at) => {
  const [lead, trail] = [bytes[at] as number, bytes[at + 1]]
  if (lead < 0x80) return ascii
  if (!(between(trail, 0x40, 0x7e) || between(trail, 0xa1, 0xfe))) return NONE
  if (between(lead, 0xa1, 0xa3)) return two('sign')
  if (between(lead, 0xa4, 0xc6)) return two('first')
  return between(lead, 0xc9, 0xf9) ? two('second') : between(lead, 0x87, 0xfe) ? two('more') : NONE
}

const eucKr: Step = (bytes, at) => {
  const [lead, trail] = [bytes[at] as number, bytes[at + 1]]
  if (lead < 0x80) return ascii
  if (!(between(trail, 0x41, 0x5a) || between(trail, 0x61, 0x7a) || between(trail, 0x81, 0xfe))) return NONE
  if (!between(trail, 0xa1, 0xfe)) return between(lead, 0x81, 0xc6) ? two('more') : NONE
  if (lead === 0xaa || lead === 0xab) return two('kana')
  if (between(lead, 0xa1, 0xac)) return two('sign')
  return between(lead, 0xb0, 0xc8) ? two('hangul') : between(lead, 0xca, 0xfd) ? two('second') : two('more')
}

export const IDEOGRAPHS: readonly Ideographs[] = [
  { encoding: 'shift_jis', language: 'ja', rare: 1, step: shiftJis },
  { encoding: 'gb18030', language: 'zh', rare: 1, step: gb18030 },
  { encoding: 'big5', language: 'tw', rare: 1, step: big5 },
  { encoding: 'euc-kr', language: 'ko', rare: 1, step: eucKr },
  { encoding: 'euc-jp', language: 'ja', rare: 3, step: eucJp },
]

/** Natural logarithms of how likely a character of a sort is; `common` is one of those that names have most. */
const LIKELY: Record<Language, Record<Exclude<Sort, 'ascii'>, number> & { common: number }> = {
  ja: { common: -6, first: -9.3, second: -12.5, more: -14, kana: -5.5, half: -9, hangul: -14, sign: -7.5 },
  zh: { common: -6, first: -8.8, second: -12, more: -14, kana: -12, half: -14, hangul: -14, sign: -7.5 },
  tw: { common: -6, first: -8.8, second: -12, more: -14, kana: -12, half: -14, hangul: -14, sign: -7.5 },
  ko: { common: -5.6, first: -12, second: -12, more: -12, kana: -12, half: -14, hangul: -8.8, sign: -7.5 },
}
const common = new Map(Object.entries(COMMON).map(([language, letters]) => [language, new Set(letters)]))
/** A character directly beside a letter of ASCII. */
const BESIDE = -3
const BROKEN = -20

export function likelihoodOf({ encoding, language, rare, step }: Ideographs, runs: readonly Uint8Array[]) {
  const decoder = new TextDecoder(encoding)
  const likely = LIKELY[language]
  const own = common.get(language) as Set<string>
  let score = -rare
  let count = 0
  for (const run of runs) {
    let wasAscii = false
    let wasOther = false
    let at = 0
    while (at < run.length) {
      const { step: bytes, sort } = step(run, at)
      if (bytes === 0) {
        score += BROKEN
        count++
        at++
        continue
      }
      const isLetter = sort === 'ascii' && /[A-Za-z]/.test(String.fromCharCode(run[at] as number))
      if (sort !== 'ascii') {
        const letter = decoder.decode(run.subarray(at, at + bytes))
        score += letter === '\ufffd' ? BROKEN : own.has(letter) ? likely.common : likely[sort]
        count++
        if (wasAscii) score += BESIDE
      } else if (wasOther && isLetter) score += BESIDE
      wasAscii = isLetter
      wasOther = sort !== 'ascii'
      at += bytes
    }
  }
  return { score, language: language === 'tw' ? 'zh' : language, count }
}
