import type { Draw } from './draw.ts'

// Files of captions: what they say is drawn first, so that it is known what a server has to read in them.

export type Said = { speaker: string | null; start_ms: number; end_ms: number; text: string }

/** `status` is that of an answer to it; `said` what is in it where it is read. */
export type CaptionFile = { what: string; bytes: Buffer; status: 200 | 400 | 422; said: Said[] | undefined }

const VTT = 'text/vtt'

/** Without a colon: what stands before one may be the name of a participant. */
const WORDS = [
  'Good',
  'morning',
  'invoice',
  '42',
  'Ölmühle',
  'naïve',
  'e\u0301te\u0301',
  'O’Neill',
  'R&D',
  '5 < 6',
  '1 > 0',
  '&amp;',
  'a@b.example',
  '<ana@b.example>',
  '- yes',
  '--',
  '👩‍👩‍👧‍👦',
  'שלום',
  'WEBVTT',
  'NOTE',
  '100 %',
  "';--",
]
const NAMES = ['Ana Ruiz', 'Bo & Co', 'Łukasz', 'speaker 1', 'J. <jo> Doe', 'ANA', '李']
const ENDS = ['\n', '\n', '\r\n', '\r']
const LAST_MS = 359_999_999

/** A file of the type that is read. */
export function captionFile(draw: Draw, type: string): CaptionFile {
  const said = talk(draw, type === VTT, lengthOf(draw))
  return { what: 'captions', bytes: written(draw, type, said), status: 200, said: inOrder(said) }
}

/** Mostly some sentences; seldom as long as a transcript may be. */
function lengthOf(draw: Draw): number {
  const [way, few, many] = [draw.below(1000), draw.below(7), draw.below(300)]
  return way < 4 ? 20_000 : way < 10 ? 1000 + 10 * many : way < 100 ? many : few
}

function talk(draw: Draw, hasVoices: boolean, many: number): Said[] {
  const [isLate, isMixed] = [draw.chance(3), draw.chance(20)]
  const from = isLate ? LAST_MS - 20_100_000 : 0
  // Long ones repeat what was drawn: to draw takes longer than all else.
  const drawn = Array.from({ length: Math.min(many, 40) }, () => ({
    speaker: hasVoices && draw.chance(70) ? draw.one(NAMES) : null,
    offset: draw.below(isMixed ? 60_000 : 900),
    length: draw.one([0, 1, 10, 999, 1000, 8000]),
    text: textOf(draw),
  }))
  return Array.from({ length: many }, (_, index) => {
    const { speaker, offset, length, text } = drawn[index % drawn.length]!
    const start_ms = from + index * 1000 + offset
    return { speaker, start_ms, end_ms: start_ms + length, text }
  })
}

function textOf(draw: Draw): string {
  const words = Array.from({ length: 1 + draw.below(6) }, () => draw.one(WORDS))
  return words.reduce((text, word) => `${text}${draw.chance(10) ? '\n' : ' '}${word}`)
}

const inOrder = (said: Said[]): Said[] =>
  said
    .map((each) => ({ ...each, text: each.text.normalize('NFC') }))
    .toSorted((one, other) => one.start_ms - other.start_ms)

function written(draw: Draw, type: string, said: Said[]): Buffer {
  const end = draw.one(ENDS)
  const mark = draw.chance(10) ? '\ufeff' : ''
  const blocks = type === VTT ? vttBlocks(draw, said) : srtBlocks(draw, said)
  const text = blocks.join(draw.one(['\n\n', '\n\n', '\n\n\n'])) + draw.one(['', '\n', '\n\n\n'])
  return Buffer.from(mark + text.replaceAll('\n', end))
}

const ASIDES = ['NOTE', 'NOTE one line', 'NOTE\nof two\nlines', 'STYLE\n::cue { color: red }', 'REGION\nid:a']
const SETTINGS = ['', '', ' align:start', '\tline:0 position:20%', ' ']

function vttBlocks(draw: Draw, said: Said[]): string[] {
  const blocks = [draw.one(['WEBVTT', 'WEBVTT', 'WEBVTT - a title', 'WEBVTT\tx\nKind: captions\nLanguage: en'])]
  const [hasIds, isBare, setting] = [draw.chance(40), draw.chance(30), draw.one(SETTINGS)]
  if (draw.chance(20)) blocks.push(draw.one(ASIDES))
  for (const [index, { speaker, start_ms, end_ms, text }] of said.entries()) {
    const style = index % 20
    const encoded = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
    const styled = style === 3 ? `<i>${encoded}</i>` : style === 7 ? `<c.loud>${encoded}<00:00:01.000></c>` : encoded
    const name = speaker?.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
    const voice = name === undefined ? styled : `<v${style === 5 ? '.loud' : ''} ${name}>${styled}`
    const times = `${time(start_ms, '.', isBare)} --> ${time(end_ms, '.', isBare)}${setting}`
    blocks.push(`${hasIds ? `${index}\n` : ''}${times}\n${voice}${name && style % 2 ? '</v>' : ''}`)
    if (style === 11) blocks.push('00:00.000 --> 00:01.000') // nobody says anything
    if (style === 13) blocks.push('NOTE aside')
  }
  return blocks
}

function srtBlocks(draw: Draw, said: Said[]): string[] {
  const [isNumbered, mark, isBare] = [draw.chance(80), draw.one([',', ',', '.']), draw.chance(20)]
  // An empty file is none.
  if (said.length === 0) return ['1\n00:00:00,000 --> 00:00:01,000\n ']
  return said.map(({ start_ms, end_ms, text }, index) => {
    const style = index % 20
    const styled = style === 3 ? `<i>${text}</i>` : style === 7 ? `{\\an8}${text}` : text
    const times = `${time(start_ms, mark, isBare)} --> ${time(end_ms, mark, isBare)}`
    return `${isNumbered ? `${index + 1}\n` : ''}${times}${style === 9 ? '  X1:1' : ''}\n${styled}`
  })
}

function time(ms: number, mark: string, isBare: boolean): string {
  const [clock = ''] = new Date(ms % 3_600_000).toISOString().slice(14).split('Z')
  const hours = Math.floor(ms / 3_600_000)
  const rest = clock.replace('.', mark)
  return hours === 0 && isBare ? rest : `${String(hours).padStart(2, '0')}:${rest}`
}

const cue = (text: string, times = '00:00:01.000 --> 00:00:02.000'): string => `WEBVTT\n\n${times}\n${text}\n`
const block = (text: string, times = '00:00:01,000 --> 00:00:02,000'): string => `1\n${times}\n${text}\n`

/** What is no time at all; what can only mean one thing is read. */
const TIMES = ['00:00:01.000 00:00:02.000', '-00:00:01.000 --> 00:00:02.000', 'NaN --> Infinity']

/** No captions at all, or with something that cannot be read; all of it is 400. */
const BROKEN: Record<string, (draw: Draw, type: string) => string | Buffer> = {
  empty: (draw) => draw.one(['', ' ', '\r\n\r\n', '\ufeff']),
  times: (draw, type) => (type === VTT ? cue('Hello', draw.one(TIMES)) : block('Hello', draw.one(TIMES))),
  'no times': (_, type) => (type === VTT ? 'WEBVTT\n\nHello\n\nHello\n' : '1\nHello\n'),
  'text first': (draw, type) => draw.one(['Hello\n\n', '{"segments":[]}\n', '<xml/>']) + (type === VTT ? cue('') : ''),
  'not UTF-8': (draw, type) =>
    Buffer.concat([
      Buffer.from(type === VTT ? cue('Hello ') : block('Hello ')),
      Buffer.from(draw.one(['ff', 'c0af', 'eda080', 'f8888080', 'c3', '80']), 'hex'),
    ]),
  'UTF-16': (_, type) => Buffer.from(type === VTT ? cue('Hello') : block('Hello'), 'utf16le'),
}

export function brokenCaptions(draw: Draw, type: string): CaptionFile {
  const what = draw.one(Object.keys(BROKEN))
  return { what, bytes: Buffer.from(BROKEN[what]!(draw, type) as string), status: 400, said: undefined }
}

const repeated = (many: number, text: (index: number) => string): string =>
  Array.from({ length: many }, (_, i) => text(i)).join('\n')

/** Files that can be read, and say what no transcript may have; all of it is 422. */
const RULES: Record<string, (type: string) => string> = {
  NUL: (type) => (type === VTT ? cue('a\0b') : block('a\0b')),
  'a tower of marks': (type) => (type === VTT ? cue(`a${'\u0301'.repeat(40)}`) : block(`a${'\u0301'.repeat(40)}`)),
  'too long a text': (type) => (type === VTT ? cue('ä'.repeat(32_769)) : block('x'.repeat(65_537))),
  'too many segments': (type) =>
    type === VTT
      ? `WEBVTT\n\n${repeated(20_001, () => '00:01.000 --> 00:02.000\nx\n')}`
      : repeated(20_001, () => '00:01,000 --> 00:02,000\nx\n'),
}
const VTT_RULES: typeof RULES = {
  'marks that are written as numbers': () => cue(`a${'&#769;'.repeat(40)}`),
  'too long a name': () => cue(`<v ${'x'.repeat(256)}>Hello`),
  'too many speakers': () => `WEBVTT\n\n${repeated(1001, (index) => `00:01.000 --> 00:02.000\n<v ${index}>x\n`)}`,
}

export function forbiddenCaptions(draw: Draw, type: string): CaptionFile {
  const all = type === VTT ? { ...RULES, ...VTT_RULES } : RULES
  const what = draw.one(Object.keys(all))
  return { what, bytes: Buffer.from(all[what]!(type)), status: 422, said: undefined }
}
