import type { PageKind } from '../components/kinds.ts'
import { client } from '../data/current.ts'
import { format } from '../lib/locale.ts'
import { changeMany } from './bulk.ts'
import { texts } from './texts.ts'

type List = { id: string; name?: string }

/** Takes records out of a static list, as one step. */
export const removeMembers = (kind: PageKind, list: List, ids: readonly string[]): Promise<void> =>
  changeMany(kind, { ids }, { from_list_id: list.id }, (count) =>
    texts().bulk.removed(format.peek().number(count), nameOf(list)),
  )

/** Adds records to a static list, as one step. */
export const addMembers = (kind: PageKind, list: List, ids: readonly string[]): Promise<void> =>
  changeMany(kind, { ids }, { to_list_id: list.id }, (count) =>
    texts().bulk.added(format.peek().number(count), nameOf(list)),
  )

const nameOf = ({ id, name }: List): string =>
  name ?? (client().store.find('lists', id)?.view.peek()?.name as string | undefined) ?? ''
