import type { Rows } from '../../components/table/rows.ts'
import { showToast } from '../../components/toast.tsx'
import { client } from '../../data/current.ts'
import { format } from '../../lib/locale.ts'
import { sayWhy } from '../../shell/say-why.ts'
import { texts } from './texts.ts'

/** The API takes as many at once. */
const MOST = 1000

async function change(
  list: string,
  body: { add_ids?: readonly string[]; remove_ids?: readonly string[] },
): Promise<void> {
  await client().api.request('POST', `/api/v1/lists/${list}/members`, { body })
}

/** Takes records out of a static list, with undo. */
export async function removeMembers(list: string, ids: readonly string[], rows: Rows | undefined): Promise<void> {
  try {
    for (let at = 0; at < ids.length; at += MOST) await change(list, { remove_ids: ids.slice(at, at + MOST) })
    await rows?.reload()
    const name = nameOf(list)
    showToast({
      text: texts().bulk.removed(format.peek().number(ids.length), name),
      undo: () => void addMembers(list, ids, rows),
    })
  } catch (error) {
    showToast({ kind: 'error', text: sayWhy(error) })
  }
}

/** Adds records to a static list. */
export async function addMembers(list: string, ids: readonly string[], rows: Rows | undefined): Promise<void> {
  try {
    for (let at = 0; at < ids.length; at += MOST) await change(list, { add_ids: ids.slice(at, at + MOST) })
    await rows?.reload()
    showToast({ text: texts().bulk.added(format.peek().number(ids.length), nameOf(list)) })
  } catch (error) {
    showToast({ kind: 'error', text: sayWhy(error) })
  }
}

const nameOf = (list: string): string =>
  (client().store.find('lists', list)?.view.peek()?.name as string | undefined) ?? ''
