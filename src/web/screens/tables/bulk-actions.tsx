import { useRef } from 'preact/hooks'
import { Avatar } from '../../components/avatar.tsx'
import { BulkBar } from '../../components/bulk-bar.tsx'
import { Button } from '../../components/button.tsx'
import type { Choice } from '../../components/choices.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { useSources } from '../../components/fields/sources.ts'
import { ownerChoices, tagChoices } from '../../components/filters/common-fields.tsx'
import { PickerPopover } from '../../components/picker.tsx'
import { countOf, isSelected, NONE } from '../../components/table/selection.ts'
import { texts as tableTexts } from '../../components/table/texts.ts'
import { boot } from '../../data/boot.ts'
import { create, record } from '../../data/records.ts'
import type { Rec } from '../../data/types.ts'
import { format } from '../../lib/locale.ts'
import { navigate } from '../../router.ts'
import { type Change, changeMany, failures, targetOf } from './bulk.ts'
import { mayWrite } from './commands.ts'
import { exportCsv } from './export.ts'
import { useList } from './list-context.ts'
import { rowQuery } from './list-query.ts'
import { isMergeable, OBJECTS } from './objects.ts'
import { texts } from './texts.ts'

/** What is done with the chosen rows, over the foot of their table; and what keys open for the focused row. */
export function BulkActions({ total }: { total: number }) {
  const list = useList()
  const { kind, state, asked, popup, listId, isStatic } = list
  const sources = useSources()
  const box = useRef<HTMLDivElement>(null)
  const selection = state.selection.value
  const count = countOf(selection, total)
  const words = texts().bulk
  const number = (value: number) => format.value.number(value)
  const isOpen = count > 0

  const focusedId = () => list.rows.current?.idAt(state.focus.peek().row)
  const apply = (change: Change, done: (count: number) => string, keep = true) => {
    const own = focusedId()
    const target = isOpen ? targetOf(selection, asked.peek(), total, listId) : { ids: own === undefined ? [] : [own] }
    if (!keep) state.selection.value = NONE
    void changeMany(kind, target, change, done)
  }
  const close = () => {
    popup.value = null
  }
  /** Pickers stand at their button, or at the focused row. */
  const anchorOf = (name: string): HTMLElement | undefined =>
    box.current?.querySelector<HTMLElement>(`[data-popup="${name}"]`) ??
    document.querySelector<HTMLElement>(`.tbl [data-row="${state.focus.peek().row}"] .td.name`) ??
    undefined
  const open = popup.value
  const anchor = open && open !== 'columns' ? anchorOf(open) : undefined

  const chosenIds = () => [...selection.ids]
  return (
    <div ref={box} class="bulk-place">
      {isOpen && mayWrite() && (
        <BulkBar
          text={tableTexts().selected(number(count))}
          label={words.label}
          clear={words.clear}
          onClear={() => {
            state.selection.value = NONE
            state.toFocus.current?.()
          }}
        >
          {!selection.isAll && total > count && (
            <Button
              plain
              class="acc"
              onClick={() => {
                state.selection.value = { ids: new Set(), isAll: true, anchor: undefined }
              }}
            >
              {tableTexts().selectAll(number(total))}
            </Button>
          )}
          <Button plain icon="person" data-popup="owner" onClick={() => (popup.value = 'owner')}>
            {words.owner}
          </Button>
          <Button plain icon="list" data-popup="list" onClick={() => (popup.value = 'list')}>
            {words.list}
          </Button>
          <Button plain icon="tag" data-popup="tags" onClick={() => (popup.value = 'tags')}>
            {words.tag}
          </Button>
          {isMergeable(kind) && (
            <Button
              plain
              icon="merge"
              off={!selection.isAll && count === 2 ? undefined : words.onlyTwo}
              onClick={() => void navigate(`/duplicates?object=${OBJECTS[kind]}&pair=${chosenIds().join(',')}`)}
            >
              {words.merge}
            </Button>
          )}
          <Button
            plain
            icon="save"
            onClick={() =>
              void exportCsv({
                kind,
                query: rowQuery(asked.peek(), listId),
                columns: list.columns
                  .peek()
                  .filter(({ field }) => list.layout.peek().some(({ key }) => key === field.key)),
                sources,
                isChosen: (id) => isSelected(selection, id),
                fileName: kind,
              })
            }
          >
            {words.export}
          </Button>
          {isStatic && listId && (
            <Button plain icon="x" onClick={() => void takeOut(listId, chosenIds())}>
              {words.removeFromList}
            </Button>
          )}
          <Button plain danger icon="trash" onClick={() => apply({ delete: true }, texts()[kind].deleted, false)}>
            {words.remove}
          </Button>
        </BulkBar>
      )}
      {open === 'owner' && anchor && (
        <PickerPopover
          anchor={anchor}
          label={words.owner}
          choices={[...ownerChoices(), { value: '', label: words.noOwner, mark: <Avatar kind="nobody" size={16} /> }]}
          chosen={[]}
          onClose={close}
          onPick={({ value }) => apply({ patch: { owner_id: value || null } }, texts()[kind].changed)}
        />
      )}
      {open === 'tags' && anchor && <TagPicker anchor={anchor} onClose={close} apply={apply} />}
      {open === 'list' && anchor && (
        <PickerPopover
          anchor={anchor}
          label={words.findList}
          choices={boot.value.lists
            .filter((each) => each.object === OBJECTS[kind] && each.kind === 'static' && each.id !== listId)
            .map(({ id, name }) => ({ value: id, label: name }))}
          chosen={[]}
          create={async (name) => {
            const made = await create('lists', { name, object: OBJECTS[kind], kind: 'static' })
            return { value: made.id, label: name }
          }}
          onClose={close}
          onPick={({ value, label }) => apply({ to_list_id: value }, (many) => words.added(number(many), label))}
        />
      )}
      <Failures />
    </div>
  )

  async function takeOut(id: string, ids: readonly string[]): Promise<void> {
    const { removeMembers } = await import('./list-members.ts')
    state.selection.value = NONE
    await removeMembers(id, ids, list.rows.current)
  }
}

type TagPickerProps = {
  anchor: HTMLElement
  onClose: () => void
  apply: (change: Change, done: (count: number) => string) => void
}

/** A tag that all chosen records have is taken away, any other is added. */
function TagPicker({ anchor, onClose, apply }: TagPickerProps) {
  const { kind, state, rows } = useList()
  const own = rows.current?.idAt(state.focus.peek().row)
  const selection = state.selection.value
  const ids =
    selection.ids.size > 0 && !selection.isAll ? [...selection.ids] : own === undefined || selection.isAll ? [] : [own]
  const tagsOf = (id: string) =>
    ((record(kind, id).value as Rec | null | undefined)?.tag_ids as string[] | undefined) ?? []
  const chosen =
    ids.length === 0 ? [] : tagsOf(ids[0] as string).filter((tag) => ids.every((id) => tagsOf(id).includes(tag)))
  const pick = ({ value }: Choice) =>
    apply(chosen.includes(value) ? { remove_tag_ids: [value] } : { add_tag_ids: [value] }, texts()[kind].changed)
  return (
    <PickerPopover
      anchor={anchor}
      label={texts().bulk.addTag}
      choices={tagChoices()}
      chosen={chosen}
      create={async (name) => {
        const made = await create('tags', { name })
        return { value: made.id, label: name }
      }}
      onClose={onClose}
      onPick={pick}
    />
  )
}

/** The result of each record that a change of many left as it was. */
function Failures() {
  const found = failures.value
  if (!found) return null
  const close = () => {
    failures.value = null
  }
  return (
    <Dialog
      title={texts().bulk.results}
      wide
      onClose={close}
      footer={<Button onClick={close}>{texts().bulk.close}</Button>}
    >
      <ul class="failures">
        {found.state.failed.map(({ id, detail }) => (
          <li key={id}>
            <a class="link" href={`/${found.kind}/${id}`}>
              {nameOfRecord(found.kind, id)}
            </a>
            <span class="dim">{detail}</span>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

function nameOfRecord(kind: Parameters<typeof record>[0], id: string): string {
  const found = record(kind, id).value as Rec | null | undefined
  return String(found?.name ?? found?.title ?? id)
}
