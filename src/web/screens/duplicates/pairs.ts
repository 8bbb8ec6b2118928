import { batch, signal } from '@preact/signals'
import type { Pair } from '../../../cleanup/merges/pairs.ts'
import { pathWith } from '../../data/api.ts'
import { client } from '../../data/current.ts'

export type MergeObject = 'contact' | 'company'
export type { Pair } from '../../../cleanup/merges/pairs.ts'

type Page = { data: Pair[]; looked: number; next_cursor: string | null }

/** The search pauses at this many pairs: nobody merges more at a time. */
const MOST = 500

/** Looks through all records, some hundreds at a time, until it is stopped. */
export function pairsOf(object: MergeObject) {
  const pairs = signal<readonly Pair[]>([])
  const looked = signal(0)
  const isDone = signal(false)
  const error = signal<unknown>(undefined)
  let cursor: string | null = null
  let turn = 0

  function start(): void {
    error.value = undefined
    void walk(++turn)
  }

  async function walk(mine: number): Promise<void> {
    while (mine === turn && !isDone.peek()) {
      try {
        const page: Page = await client().api.get(pathWith('/app/duplicates', { object, cursor: cursor ?? undefined }))
        if (mine !== turn) return
        batch(() => {
          pairs.value = [...pairs.peek(), ...page.data]
          looked.value += page.looked
          cursor = page.next_cursor
          isDone.value = cursor === null || pairs.peek().length >= MOST
        })
      } catch (reason) {
        if (mine === turn) error.value = reason
        return
      }
    }
  }

  function restart(): void {
    batch(() => {
      pairs.value = []
      looked.value = 0
      isDone.value = false
    })
    cursor = null
    start()
  }

  return {
    pairs,
    looked,
    isDone,
    error,
    start,
    restart,
    stop: () => void turn++,
    /** Takes out the pairs of a record that is gone. */
    drop: (id: string) => {
      pairs.value = pairs.peek().filter((pair) => pair.older_id !== id && pair.newer_id !== id)
    },
  }
}
