import { useEffect, useState } from 'preact/hooks'
import { pathWith } from '../../data/api.ts'
import { boot } from '../../data/boot.ts'
import { client } from '../../data/current.ts'
import { create, type Rec } from '../../data/records.ts'
import { IconButton } from '../button.tsx'
import { Icon } from '../icon.tsx'
import { showToast } from '../toast.tsx'
import { Adding } from './adding.tsx'
import { OBJECTS, type PageKind } from './kinds.ts'
import { mayWrite } from './may-write.ts'
import { sayFailed } from './say-failed.ts'
import { Section } from './section.tsx'
import { texts } from './texts.ts'

/** The static lists that the record is in, and those it can be added to. */
export function InLists({ kind, record }: { kind: PageKind; record: Rec }) {
  const all = boot.value.lists.filter((each) => each.object === OBJECTS[kind] && each.kind === 'static')
  const [ids, setIds] = useState<readonly string[]>([])
  useEffect(() => {
    let isOver = false
    client()
      .api.get<{ list_ids: string[] }>(pathWith('/app/whereabouts', { [`${OBJECTS[kind]}_id`]: record.id }))
      .then(({ list_ids }) => {
        if (!isOver) setIds(list_ids)
      })
      .catch(() => undefined) // the section is empty then
    return () => {
      isOver = true
    }
  }, [kind, record.id])

  async function change(list: string, isIn: boolean): Promise<boolean> {
    try {
      const body = isIn ? { add_ids: [record.id] } : { remove_ids: [record.id] }
      await client().api.request('POST', `/api/v1/lists/${list}/members`, { body })
      setIds((before) => (isIn ? [...new Set([...before, list])] : before.filter((each) => each !== list)))
      return true
    } catch (error) {
      sayFailed(texts().listNotChanged, error)
      return false
    }
  }

  async function leave(list: { id: string; name: string }): Promise<void> {
    if (!(await change(list.id, false))) return
    showToast({ text: texts().removedFrom(list.name), undo: () => void change(list.id, true) })
  }

  const make = async (name: string) => {
    const { id } = await create('lists', { name, object: OBJECTS[kind], kind: 'static' })
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
            onPick={(id) => void change(id, !ids.includes(id))}
          />
        )
      }
    >
      <ul>
        {shown.map((each) => (
          <li key={each.id} class="row one">
            <Icon name="list" class="mute" />
            <a class="grow cut dim" href={`/lists/${each.id}`}>
              {each.name}
            </a>
            {isFree && (
              <IconButton
                plain
                class="add"
                icon="x"
                title={texts().leaveList(each.name)}
                onClick={() => void leave(each)}
              />
            )}
          </li>
        ))}
      </ul>
      {shown.length === 0 && <p class="small mute none">{texts().noLists}</p>}
    </Section>
  )
}
