import type { Client } from './client.ts'
import { client } from './current.ts'
import { draftStore, memoryTexts } from './draft-store.ts'

export type { Draft } from './draft-store.ts'

/** The draft for `key`, such as `note:deals:ID`: `body` is a signal, `set` keeps what was typed, `clear` forgets it. */
export const draft = (key: string) => draftsOf(client()).draft(key)

const stores = new WeakMap<Client, ReturnType<typeof draftStore>>()

/** The drafts of a page, which come with the first of them. */
export function draftsOf(of: Client): ReturnType<typeof draftStore> {
  const known = stores.get(of)
  if (known) return known
  const { api, timers, member, localTexts = memoryTexts(), onReached, keepers } = of
  const made = draftStore({ api, timers, local: localTexts, member })
  onReached.add(() => {
    made.missed()
    void made.saveAll()
  })
  of.onNotice((notice) => {
    if (notice.kind === 'draft') made.changed(String(notice.key), Number(notice.version))
  })
  keepers.add(made.isLoose)
  stores.set(of, made)
  return made
}
