import { type Deps, once } from '../../deps.ts'
import type { Caller } from '../../lib/caller.ts'
import * as c from '../../store/rows/columns.ts'
import { finder } from '../../store/rows/find.ts'

type Authored = { id: string; author_id: string | null; version: number }

export const columns = c.columns<Authored>({
  id: c.plain('id'),
  author_id: c.plain('author_id'),
  version: c.integer('version'),
})

/** Messages keep their author as of when they were written; only the id follows the contact. That causes no event. */
export const authorStore = once(({ db, clock }: Deps) => {
  const set = `author_id = @author, author = json_set(author, '$.id', @author), version = version + 1, updated_at = @now`
  const setOne = db.prepare(`UPDATE messages SET ${set} WHERE org_id = @org AND id = @id`)
  const clear = db.prepare(`UPDATE messages SET ${set} WHERE org_id = @org AND author_id = @contact`)

  /** For merges of contacts. */
  function patch({ org }: Caller, before: Authored, { author_id }: Pick<Authored, 'author_id'>): Authored {
    setOne.run({ org, id: before.id, author: author_id, now: clock.now() })
    return { ...before, author_id, version: before.version + 1 }
  }

  function clearContact({ org }: Caller, contact: string): void {
    clear.run({ org, contact, author: null, now: clock.now() })
  }

  return { columns, find: finder(db, 'messages', columns), patch, clearContact }
})
