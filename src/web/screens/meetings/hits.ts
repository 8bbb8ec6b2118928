import { useEffect, useState } from 'preact/hooks'
import { pathWith } from '../../data/api.ts'
import { client } from '../../data/current.ts'

/** Where a search has found something in a meeting, as /app/meetings/hits has it. */
export type Hit = { meeting_id: string; text: string; start_ms: number | null; speaker: string | null }

const MOST_AT_ONCE = 20

/** Why each of the meetings was found, as far as it is known. Without an answer the rows show what they show without a search. */
export function useHits(q: string, ids: readonly string[]): ReadonlyMap<string, Hit> {
  const [found, setFound] = useState<{ q: string; asked: ReadonlySet<string>; hits: ReadonlyMap<string, Hit> }>(NOTHING)
  const known = found.q === q ? found : { ...NOTHING, q }
  const missing = q === '' ? [] : ids.filter((id) => !known.asked.has(id)).slice(0, MOST_AT_ONCE)
  useEffect(() => {
    if (missing.length === 0) return
    let isStopped = false
    client()
      .api.get<{ data: Hit[] }>(pathWith('/app/meetings/hits', { q, ids: missing.join(',') }))
      .then(({ data }) => data)
      .catch((): Hit[] => [])
      .then((data) => {
        if (isStopped) return
        setFound({
          q,
          asked: new Set([...known.asked, ...missing]),
          hits: new Map([...known.hits, ...data.map((hit): [string, Hit] => [hit.meeting_id, hit])]),
        })
      })
    return () => {
      isStopped = true
    }
  }, [q, missing.join()])
  return known.hits
}

const NOTHING = { q: '', asked: new Set<string>(), hits: new Map<string, Hit>() }
