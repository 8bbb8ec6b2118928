import { useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { PATHS } from '../../../lib/pure/nouns.ts'
import { Button } from '../../components/button.tsx'
import { confirmFinal } from '../../components/confirm.tsx'
import { Empty } from '../../components/empty.tsx'
import { Icon } from '../../components/icon.tsx'
import { MenuButton } from '../../components/menu.tsx'
import { PickerPopover } from '../../components/picker.tsx'
import { sayWhy } from '../../components/say-why.ts'
import { showToast } from '../../components/toast.tsx'
import { ApiProblem } from '../../data/api.ts'
import { mayWrite } from '../../data/may.ts'
import { load, record, remove } from '../../data/records.ts'
import type { List } from '../../data/types.ts'
import type { ScreenProps } from '../../lib/router/types.ts'
import { navigate, setTitle } from '../../lib/router.ts'
import { Bar } from '../../shell/bar.tsx'
import { Missing } from '../../shell/screen-host.tsx'
import { sources } from '../../shell/sources.ts'
import { conditionParams } from '../../tables/filters/address.ts'
import { type Filter, fromFilter } from '../../tables/filters/conditions.ts'
import { type ListContext, listContext } from '../../tables/list-context.ts'
import { addMembers } from '../../tables/list-members.ts'
import { forgetList } from '../../tables/lists-of-boot.ts'
import { countText, RecordList } from '../../tables/record-list.tsx'
import { texts } from '../../tables/texts.ts'
import { useEnroll } from '../sequences/enroll-command.ts'
import { FilterChange } from './filter-change.tsx'

/** The records of one list: those that were added, or those that fit its filter. */
export function Screen({ params }: ScreenProps) {
  const id = params.id ?? ''
  const [error, setError] = useState<unknown>(undefined)
  useEffect(() => {
    load('lists', id).catch(setError)
  }, [id])
  const found = record('lists', id).value as List | null | undefined
  useEffect(() => setTitle(found?.name ?? null), [found?.name])
  if (found === null || (error instanceof ApiProblem && error.status === 404)) return <Missing />
  if (error !== undefined && !found) {
    return (
      <Empty icon="alert" title={texts().lists.title}>
        {sayWhy(error)}
      </Empty>
    )
  }
  if (!found) return <Bar title="…" crumbs={[{ href: '/lists', label: texts().lists.title }]} />
  return <Members key={id} found={found} />
}

function Members({ found }: { found: List }) {
  useEnroll(found.object === 'contact')
  const words = texts().lists
  const kind = PATHS[found.object]
  // As the server has it: what is being saved holds once it is there.
  const own = useSignal(fromFilter(found.filter as Filter | null))
  useLayoutEffect(() => {
    own.value = fromFilter(found.filter as Filter | null)
  }, [found.version])
  const list = useMemo(
    () => listContext(kind, { list: { id: found.id, isStatic: found.kind === 'static', filter: own } }),
    [found.id],
  )
  const removeList = async () => {
    const question = {
      title: words.removeTitle(found.name),
      text: words.removeBody,
      keep: words.keep,
      verb: words.remove,
    }
    if (!(await confirmFinal(question))) return
    try {
      await remove('lists', found.id)
      forgetList(found.id)
      await navigate('/lists')
      showToast({ text: words.removed(found.name), icon: 'trash' })
    } catch (error) {
      showToast({ kind: 'error', text: sayWhy(error) })
    }
  }
  const asTable = () => {
    const { conditions } = list.address.peek().state
    const kinds = new Map(list.fields.peek().map((field) => [field.name, field.kind]))
    const params = new URLSearchParams(conditionParams(conditions, (field) => kinds.get(field)))
    void navigate(`/${kind}?${params}`)
  }
  return (
    <RecordList
      list={list}
      hasViews={false}
      tools={found.kind === 'smart' && <FilterChange list={list} found={found} />}
      bar={(total) => (
        <Bar
          title={found.name}
          crumbs={[{ href: '/lists', label: words.title }]}
          summary={[countText(total), found.kind === 'smart' ? words.smart : words.static].filter(Boolean).join(' · ')}
          actions={
            mayWrite() && (
              <>
                <MenuButton
                  plain
                  class="icon"
                  menuLabel={texts().more}
                  title={texts().more}
                  aria-label={texts().more}
                  align="end"
                  groups={() => [
                    {
                      items:
                        found.kind === 'smart'
                          ? [{ label: words.openFilter, icon: 'filter' as const, onPick: asTable }]
                          : [],
                    },
                    {
                      items: [
                        { label: words.remove, icon: 'trash' as const, danger: true, onPick: () => void removeList() },
                      ],
                    },
                  ]}
                >
                  <Icon name="dots" />
                </MenuButton>
                {found.kind === 'static' && <AddMember list={list} found={found} />}
              </>
            )
          }
        />
      )}
      empty={
        <Empty icon="list" title={words.emptyList}>
          {found.kind === 'static' ? words.emptyStatic : words.emptySmart}
        </Empty>
      }
    />
  )
}

function AddMember({ list, found }: { list: ListContext; found: List }) {
  const words = texts().lists
  const button = useRef<HTMLButtonElement>(null)
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button
        first
        ref={button}
        icon="plus"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {words.addMember}
      </Button>
      {isOpen && button.current && (
        <PickerPopover
          anchor={button.current}
          align="end"
          label={words.findMember}
          search={sources.search(found.object)}
          chosen={[]}
          onClose={() => setOpen(false)}
          onPick={({ value }) => void addMembers(list.kind, found, [value])}
        />
      )}
    </>
  )
}
