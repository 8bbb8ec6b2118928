import { useEffect, useState } from 'preact/hooks'
import { wordsOf } from './match.ts'
import { type Hit, type Scope, searchRecords } from './palette-search.ts'
import { askServer } from './palette-sources.ts'

/** Asks the server a moment after the last key; answers to what is no longer typed are dropped. */
export function useServer(typed: string, scope: Scope) {
  const [answer, setAnswer] = useState<Answer>(NOTHING)
  const isAsked = wordsOf(typed).length > 0 && scope !== 'commands'
  useEffect(() => {
    if (!isAsked) {
      setAnswer(NOTHING)
      return
    }
    const stop = new AbortController()
    setAnswer((before) => ({ ...before, isAsking: true, hasFailed: false }))
    const timer = setTimeout(async () => {
      try {
        const hits = await askServer(typed, scope)
        if (!stop.signal.aborted) setAnswer({ typed, hits, isAsking: false, hasFailed: false })
      } catch {
        if (!stop.signal.aborted) setAnswer({ typed, hits: [], isAsking: false, hasFailed: true })
      }
    }, PAUSE_MS)
    return () => {
      stop.abort()
      clearTimeout(timer)
    }
  }, [typed, scope])
  if (answer.typed === typed) return answer
  // Until the next answer comes, only what still fits stays; it is asked for as soon as the letter is drawn.
  return {
    ...answer,
    isAsking: isAsked,
    hits: answer.hits.filter(({ kind, record }) => searchRecords([[kind, record]], typed).length > 0),
  }
}

/** `typed` is what the hits are for. */
type Answer = { typed: string; hits: readonly Hit[]; isAsking: boolean; hasFailed: boolean }
const NOTHING: Answer = { typed: '', hits: [], isAsking: false, hasFailed: false }
const PAUSE_MS = 16
