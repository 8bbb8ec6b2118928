import type { Statement } from './driver.ts'

/**
 * A statement that SQLite prepares at its first use: of the 800 statements of a server that starts, hardly any is needed
 * for its first answer, and many never.
 */
export function prepareAtFirstUse(prepare: () => Statement): Statement {
  const modes: ('pluck' | 'raw' | 'safeIntegers')[] = []
  let prepared: Statement | undefined

  function statement(): Statement {
    prepared ??= modes.reduce((made, mode) => made[mode](), prepare())
    return prepared
  }
  function inMode(mode: (typeof modes)[number]): Statement {
    if (prepared) prepared[mode]()
    else modes.push(mode)
    return lazy
  }

  const lazy: Statement = {
    run: (...values) => (prepared ?? statement()).run(...values),
    get: (...values) => (prepared ?? statement()).get(...values),
    all: (...values) => (prepared ?? statement()).all(...values),
    iterate: (...values) => (prepared ?? statement()).iterate(...values),
    pluck: () => inMode('pluck'),
    raw: () => inMode('raw'),
    safeIntegers: () => inMode('safeIntegers'),
  }
  return lazy
}
