export type Workers = ReturnType<typeof workerList>

/**
 * What a server does by itself until it stops, or is replaced by another one: each is a function that ends it. What begins
 * after that, as when a server is replaced while it starts, ends at once.
 */
export function workerList() {
  const running: (() => Promise<void>)[] = []
  const ending: Promise<void>[] = []
  let isOver = false

  function end(one: () => Promise<void>): void {
    const ended = one()
    ended.catch(() => undefined) // whoever calls `endAll` hears of it
    ending.push(ended)
  }

  return {
    push: (...added: (() => Promise<void>)[]): void => {
      if (isOver) for (const each of added) end(each)
      else running.push(...added)
    },
    /** Resolves when all have ended, also those that began later. */
    endAll: async (): Promise<void> => {
      isOver = true
      for (const each of running.splice(0)) end(each)
      await Promise.all(ending)
    },
  }
}
