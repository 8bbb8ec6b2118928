import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { pieces } from '../lib/found.ts'

const NONE: readonly string[] = []

/** The folded words that are looked for in what is shown inside. */
export const Found = createContext<readonly string[]>(NONE)

/** A text in which what is looked for is marked. It is split, and never markup. */
export function Marked({ text }: { text: string }) {
  const words = useContext(Found)
  if (words.length === 0) return <>{text}</>
  return <>{pieces(text, words, true).map(({ text, isHit }) => (isHit ? <mark>{text}</mark> : text))}</>
}
