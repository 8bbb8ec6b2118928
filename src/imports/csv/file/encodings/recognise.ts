import { CODE_PAGES } from './code-pages.ts'
import { decoderOf } from './encodings.ts'
import { IDEOGRAPHS, likelihoodOf } from './ideographs.ts'
import { languagesOf, likelihoodIn } from './likelihood.ts'

/** How much likelier one must be than all that give another text: e to this power. */
const MARGIN = 5
/** Of each character beyond ASCII; what is less likely is no text of any of these encodings. */
const LEAST = -10
/** The language of the organisation's country needs less evidence. */
const AT_HOME = 2

export type Candidate = { encoding: string; score: number; rare: number }
/** Sorted by how likely they are. One is certain; of several, each gives another text; none if nothing fits. */
export type Recognised = Candidate[]

/** The encodings that texts may be in; `country` is the organisation's. */
export function recognise(runs: readonly Uint8Array[], country?: string): Recognised {
  const home = country ? new Intl.Locale(`und-${country}`).maximize().language : undefined
  const byLanguage = languagesOf(runs)
  const all = [
    ...CODE_PAGES.map((page) => ({
      encoding: page.encoding,
      rare: page.rare,
      ...likelihoodIn(page, runs, byLanguage),
    })),
    ...IDEOGRAPHS.map((each) => ({ encoding: each.encoding, rare: each.rare, ...likelihoodOf(each, runs) })),
  ]
    .map(({ score, language, ...rest }) => ({ ...rest, score: score + (language === home ? AT_HOME : 0) }))
    .sort((one, other) => other.score - one.score)
  const [best] = all
  if (!best || best.score / Math.max(1, best.count) < LEAST) return []
  const found = new Map<string, Candidate>()
  for (const { encoding, score, rare } of all) {
    if (score < best.score - MARGIN) break
    found.set(textsIn(encoding, runs).join('\n'), { encoding, score, rare })
  }
  // Of those that give the same text, the usual one is named.
  for (const { encoding, rare } of all) {
    const text = textsIn(encoding, runs).join('\n')
    const known = found.get(text)
    if (known && rare < known.rare) found.set(text, { encoding, score: known.score, rare })
  }
  return [...found.values()]
}

export const textsIn = (encoding: string, runs: readonly Uint8Array[]): string[] => {
  const decoder = decoderOf(encoding)
  return runs.map((run) => decoder.decode(run))
}
