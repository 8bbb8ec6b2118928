import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Choice, Search } from '../choices.tsx'

export type Linked = 'company' | 'contact' | 'deal'

/** Where fields find the records that they name. The app provides it once; what it reads are signals. */
export type Sources = {
  members: () => readonly { id: string; name: string; email?: string; status?: string }[]
  /** What to know of a member before something is given to them. */
  memberNote?: (id: string) => string | undefined
  tags: () => readonly { id: string; name: string; color: string | null }[]
  /** Undefined while it is not loaded. */
  nameOf: (kind: Linked, id: string) => string | undefined
  hrefOf: (kind: Linked, id: string) => string | undefined
  search: (kind: Linked) => Search
  create?: ((kind: Linked | 'tag', name: string) => Promise<Choice | null>) | undefined
  /** The org's own. */
  currency: () => string
  /** The org's own, as it is set: a number without the code of a country is dialled there. */
  country: () => string | undefined
}

const NOWHERE: Sources = {
  members: () => [],
  tags: () => [],
  nameOf: () => undefined,
  hrefOf: () => undefined,
  search: () => () => Promise.resolve([]),
  currency: () => 'EUR',
  country: () => undefined,
}

export const SourcesContext = createContext<Sources>(NOWHERE)
export const useSources = (): Sources => useContext(SourcesContext)
