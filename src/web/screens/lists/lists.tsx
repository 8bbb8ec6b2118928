import { useLayoutEffect, useMemo } from 'preact/hooks'
import { mayWrite } from '../../data/may.ts'
import { list } from '../../data/pages.ts'
import { record } from '../../data/records.ts'
import type { List } from '../../data/types.ts'
import { format } from '../../lib/locale.ts'
import { words } from '../../lib/texts/words/texts.ts'
import { ListPage } from '../../shell/pages/list-page.tsx'
import { texts } from '../../tables/texts.ts'
import { NewList } from './new-list.tsx'

const ICONS = { contact: 'person', company: 'firm', deal: 'deal' } as const

/** All lists, by name. */
export function Screen() {
  const its = texts().lists
  const lists = useMemo(() => list('lists', { sort: 'name', limit: 100 }), [])
  useLayoutEffect(() => {
    void lists.more().catch(() => undefined)
    return lists.dispose
  }, [lists])
  const total = lists.total.value
  const found = lists.ids.value.map((id) => record('lists', id).value as List | null | undefined)
  return (
    <ListPage
      at="/lists"
      title={its.title}
      summary={total !== undefined && format.value.number(total)}
      rows={total === undefined ? undefined : found.filter((each) => each != null)}
      error={lists.error.value}
      again={lists.reload}
      more={lists.done.value ? undefined : lists.more}
      idOf={({ id }) => id}
      hrefOf={({ id }) => `/lists/${id}`}
      columns={(column) => [
        column.name(words().name, ({ name, object }) => ({ name, mark: ICONS[object] }), {
          width: '34%',
          phone: '50%',
        }),
        column.text(its.of, ({ object }) => words().objects[object], { phone: '27%' }),
        column.text(words().kind, ({ kind }) => (kind === 'smart' ? its.smart : its.static), { phone: null }),
        column.count(words().members, ({ member_count }) => member_count),
        column.member(words().owner, ({ owner_id }) => owner_id, { phone: null }),
        column.when(words().changed, ({ updated_at }) => updated_at, { phone: null }),
      ]}
      create={
        mayWrite()
          ? {
              id: 'lists.create',
              title: () => texts().lists.create,
              keys: 'c l',
              form: (close) => <NewList onClose={close} />,
            }
          : undefined
      }
      empty={() => ({ icon: 'list', title: its.empty, text: its.emptyBody })}
    />
  )
}
