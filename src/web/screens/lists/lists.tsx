import { useLayoutEffect, useMemo, useState } from 'preact/hooks'
import { Avatar } from '../../components/avatar.tsx'
import { Button } from '../../components/button.tsx'
import { Empty } from '../../components/empty.tsx'
import { Icon } from '../../components/icon.tsx'
import { sayWhy } from '../../components/say-why.ts'
import { Bar as Grey } from '../../components/skeleton.tsx'
import { boot } from '../../data/boot.ts'
import { mayWrite } from '../../data/may.ts'
import { list } from '../../data/pages.ts'
import { record } from '../../data/records.ts'
import type { List } from '../../data/types.ts'
import { format } from '../../lib/locale.ts'
import { now } from '../../lib/now.ts'
import { Bar } from '../../shell/bar.tsx'
import { CommandButton } from '../../shell/commands/command-button.tsx'
import { register } from '../../shell/commands/registry.ts'
import { texts as tableTexts } from '../../tables/table/texts.ts'
import { texts } from '../../tables/texts.ts'
import { NewList } from './new-list.tsx'
import './lists.css'

export const ICONS = { contact: 'person', company: 'firm', deal: 'deal' } as const

/** All lists, by name. */
export function Screen() {
  const words = texts().lists
  const lists = useMemo(() => list('lists', { sort: 'name', limit: 100 }), [])
  const [isAdding, setAdding] = useState(false)
  useLayoutEffect(() => {
    void lists.more().catch(() => undefined)
    const off = register([
      {
        id: 'lists.create',
        title: () => texts().lists.create,
        keys: 'c l',
        icon: 'plus',
        group: 'new',
        when: () => mayWrite(),
        run: () => setAdding(true),
      },
    ])
    return () => {
      off()
      lists.dispose()
    }
  }, [lists])
  const ids = lists.ids.value.filter((id) => record('lists', id).value !== null)
  const error = lists.error.value
  const isLoading = lists.total.value === undefined && error === undefined
  return (
    <>
      <Bar
        title={words.title}
        summary={lists.total.value !== undefined && format.value.number(lists.total.value)}
        actions={mayWrite() && <CommandButton id="lists.create" first isIconOnPhone />}
      />
      <div class="lists" data-scroll="lists">
        {error !== undefined && (
          <Empty
            icon="alert"
            title={tableTexts().failed}
            actions={<Button onClick={() => void lists.reload()}>{tableTexts().again}</Button>}
          >
            {sayWhy(error)}
          </Empty>
        )}
        {!isLoading && error === undefined && ids.length === 0 && (
          <Empty
            icon="list"
            title={words.empty}
            actions={
              mayWrite() && (
                <Button first icon="plus" onClick={() => setAdding(true)}>
                  {words.create}
                </Button>
              )
            }
          >
            {words.emptyBody}
          </Empty>
        )}
        {(isLoading || ids.length > 0) && (
          <table class="grid lists-table">
            <thead>
              <tr>
                <th scope="col">{words.name}</th>
                <th scope="col">{words.of}</th>
                <th scope="col">{words.kind}</th>
                <th scope="col" class="num">
                  {words.members}
                </th>
                <th scope="col">{words.owner}</th>
                <th scope="col">{words.changed}</th>
              </tr>
            </thead>
            <tbody>
              {isLoading
                ? [0, 1, 2, 3].map((row) => (
                    <tr key={row} aria-busy="true">
                      <td colSpan={6}>
                        <Grey row={row} />
                      </td>
                    </tr>
                  ))
                : ids.map((id) => <ListRow key={id} id={id} />)}
            </tbody>
          </table>
        )}
        {!lists.done.value && !isLoading && (
          <Button plain onClick={() => void lists.more()}>
            {tableTexts().loadMore}
          </Button>
        )}
      </div>
      {isAdding && <NewList onClose={() => setAdding(false)} />}
    </>
  )
}

function ListRow({ id }: { id: string }) {
  const found = record('lists', id).value as List | null | undefined
  const words = texts().lists
  if (!found) return null
  const owner = boot.value.members.find((member) => member.id === found.owner_id)
  return (
    <tr>
      <td>
        <a class="row" href={`/lists/${id}`}>
          <Icon name={ICONS[found.object]} />
          <span class="cut mid" dir="auto">
            {found.name}
          </span>
        </a>
      </td>
      <td class="dim">{words.objects[found.object]}</td>
      <td class="dim">{found.kind === 'smart' ? words.smart : words.static}</td>
      <td class="num">{found.member_count === null ? '—' : format.value.number(found.member_count)}</td>
      <td>{owner ? <Avatar kind="member" id={owner.id} name={owner.name} alone /> : <span class="mute">—</span>}</td>
      <td class="dim">{format.value.when(found.updated_at, now.value)}</td>
    </tr>
  )
}
