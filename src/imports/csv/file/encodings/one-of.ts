import { Problem } from '../../../../lib/problem.ts'
import { recognise, textsIn } from './recognise.ts'

/** So many encodings are named, each with so many words that differ. */
const MOST = 3
const WORDS = 2

/** The encoding of texts. Throws Problem 422 if several fit, or none. */
export function oneOf(file: string, runs: readonly Uint8Array[], country: string | undefined): string {
  const found = recognise(runs, country).slice(0, MOST)
  const [best, ...others] = found
  if (!best)
    throw new Problem(
      422,
      'unknown_encoding',
      `${file} is not UTF-8, and its letters fit no other encoding. Save it as UTF-8, or name its encoding: --encoding NAME.`,
    )
  if (others.length === 0) return best.encoding
  const texts = found.map(({ encoding }) => textsIn(encoding, runs))
  const differ = (texts[0] as string[]).flatMap((text, at) => (texts.every((each) => each[at] === text) ? [] : [at]))
  const choices = found.map(({ encoding }, index) => {
    const words = differ.slice(0, WORDS).map((at) => `"${(texts[index] as string[])[at]}"`)
    return `${encoding} (${words.join(', ')})`
  })
  throw new Problem(
    422,
    'unclear_encoding',
    `${file} can be read as ${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}. Say which: --encoding ${best.encoding}.`,
  )
}
