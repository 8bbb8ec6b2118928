import type { LocalTexts } from './draft-store.ts'
import type { WriteStorage } from './write-storage.ts'

type Kept = { storage: WriteStorage; localTexts?: LocalTexts }

/** What a page keeps in its browser, until its member has gone. */
export function keeping({ storage, localTexts }: Kept) {
  let isOver = false
  return {
    storage: { ...storage, put: async (write) => isOver || storage.put(write) } satisfies WriteStorage,
    localTexts: localTexts && {
      ...localTexts,
      set: (key: string, text: string) => isOver || localTexts.set(key, text),
    },
    keepNoMore: () => {
      isOver = true
    },
  }
}
