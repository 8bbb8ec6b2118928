import { useEffect, useState } from 'preact/hooks'
import { nounOf } from '../../lib/pure/nouns.ts'
import { IconButton } from '../components/button.tsx'
import { Icon } from '../components/icon.tsx'
import type { PageKind } from '../components/kinds.ts'
import { pathWith } from '../data/api.ts'
import { boot } from '../data/boot.ts'
import { client } from '../data/current.ts'
import { mayWrite } from '../data/may.ts'
import { create, type Rec } from '../data/records.ts'
import { Adding } from './adding.tsx'
import { Section } from './section.tsx'
import { texts } from './texts.ts'

/** The static lists that the record is in, and those it can be added to. */
export function InLists({ kind, record }: { kind: PageKind; record: Rec }) {
  const all = boot.value.lists.filter((each) => each.object === nounOf(kind) && each.kind === 'static')
  const [ids, setIds] = useState<readonly string[]>([])
  useEffect(() => {
    let isOver = false
    const read = () =>
      client()
        .api.get<{ list_ids: string[] }>(pathWith('/app/whereabouts', { [`${nounOf(kind)}_id`]: record.id }))
        .then(({ list_ids }) => {
          if (!isOver) setIds(list_ids)
        })
        .catch(() => undefined) // the section stays as it is then
    void read()
    const stop = client().events.onEvent((_, of) => of === 'lists' && void read())
    return () => {
      isOver = true
      stop()
    }
  }, [kind, record.id])

  async function change(list: { id: string; name: string }, isIn: boolean): Promise<void> {
    const { addMembers, removeMembers } = await import('../tables/list-members.ts')
    await (isIn ? addMembers : removeMembers)(kind, list, [record.id])
  }

  const make = async (name: string) => {
    const { id } = await create('lists', { name, object: nounOf(kind), kind: 'static' })
    return { value: id, label: name }
  }
  const shown = ids.flatMap((id) => all.find((each) => each.id === id) ?? [])
  const isFree = mayWrite('lists')
  return (
    <Section
      title={texts().lists}
      add={
        isFree && (
          <Adding
            label={texts().addToList}
            choices={all.map(({ id, name }) => ({ value: id, label: name }))}
            create={make}
            chosen={ids}
            onPick={(id) => {
              const list = boot.peek().lists.find((each) => each.id === id)
              if (list) void change(list, !ids.includes(id))
            }}
          />
        )
      }
    >
      <ul>
        {shown.map((each) => (
          <li key={each.id} class="row one">
            <Icon name="list" class="mute" />
            <a class="grow cut dim" dir="auto" href={`/lists/${each.id}`}>
              {each.name}
            </a>
            {isFree && (
              <IconButton
                plain
                class="add"
                icon="x"
                title={texts().leaveList(each.name)}
                onClick={() => void change(each, false)}
              />
            )}
          </li>
        ))}
      </ul>
      {shown.length === 0 && <p class="small mute none">{texts().noLists}</p>}
    </Section>
  )
}
