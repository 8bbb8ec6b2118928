import { Problem } from '../../../lib/problem.ts'
import type { Store } from '../../../store/open.ts'

/** In one transaction, so that requests wait for a moment at most. */
export const MAX_BATCH = 200
const MAX_MS = 35

const WROTE = Symbol('a refused record had written something')

type Each<Item> = { item: Item; error: Problem | null }

/**
 * Does something with each item while there is time, and returns what was refused. Most refusals have written nothing;
 * otherwise all of it is repeated, each item in a savepoint of its own.
 */
export function doEach<Item>(
  store: Pick<Store, 'savepoint' | 'changes'>,
  items: readonly Item[],
  run: (item: Item) => void,
): Each<Item>[] {
  const plain = (item: Item): Problem | null => {
    const before = store.changes.byUs()
    try {
      run(item)
      return null
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      if (store.changes.byUs() !== before) throw WROTE
      return error
    }
  }
  const alone = (item: Item): Problem | null => {
    try {
      store.savepoint(() => run(item))
      return null
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      return error
    }
  }
  try {
    return store.savepoint(() => whileTime(items, plain))
  } catch (error) {
    if (error !== WROTE) throw error
    return whileTime(items, alone)
  }
}

function whileTime<Item>(items: readonly Item[], run: (item: Item) => Problem | null): Each<Item>[] {
  const began = performance.now()
  const done: Each<Item>[] = []
  for (const item of items) {
    done.push({ item, error: run(item) })
    if (performance.now() - began >= MAX_MS) break
  }
  return done
}
