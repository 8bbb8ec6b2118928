import { useRef } from 'preact/hooks'
import { nounOf } from '../../lib/pure/nouns.ts'
import { Avatar } from '../components/avatar.tsx'
import { BulkBar } from '../components/bulk-bar.tsx'
import { Button } from '../components/button.tsx'
import { useSources } from '../components/fields/sources.ts'
import type { IconName } from '../components/icon.tsx'
import { isMergeable } from '../components/kinds.ts'
import { later } from '../components/later.tsx'
import { PickerPopover } from '../components/picker.tsx'
import { boot } from '../data/boot.ts'
import { mayWrite } from '../data/may.ts'
import { create } from '../data/records.ts'
import { format } from '../lib/locale.ts'
import { navigate } from '../lib/router.ts'
import { BulkButton } from '../shell/commands/bulk-button.tsx'
import { runCommand } from '../shell/commands/listen.ts'
import { type Change, changeMany, type Target, targetOf } from './bulk.ts'
import { Failures } from './bulk-failures.tsx'
import { openedTexts } from './deals/texts/opened.ts'
import { texts as dealTexts } from './deals/texts/texts.ts'
import { exportCsv } from './export.ts'
import { ownerChoices } from './filters/common-fields.tsx'
import { DEAL_POPUPS, type DealPopup, type ListPopup, useList } from './list-context.ts'
import { rowQuery } from './list-query.ts'
import { countOf, isSelected, NONE } from './table/selection.ts'
import { texts as tableTexts } from './table/texts.ts'
import { TagPicker } from './tag-picker.tsx'
import { texts } from './texts.ts'

const DealPopups = later(() => import('./deals/popups.tsx').then((module) => module.DealPopups), {
  ahead: false,
  takesFocus: true,
})

/** As many contacts as one request enrolls. */
const MOST_ENROLLED = 100

const isOfDeal = (name: string): name is DealPopup => (DEAL_POPUPS as readonly string[]).includes(name)

/** What is done with the chosen rows, over the foot of their table; and what keys open for the focused row. */
export function BulkActions({ total }: { total: number }) {
  const list = useList()
  const { kind, state, asked, popup, of } = list
  const sources = useSources()
  const box = useRef<HTMLDivElement>(null)
  const selection = state.selection.value
  const count = countOf(selection, total)
  const words = texts().bulk
  const number = (value: number) => format.value.number(value)
  const isOpen = count > 0

  const open = popup.value
  const target = (): Target => (open?.ids ? { ids: open.ids } : targetOf(selection, asked.peek(), total))
  const apply = (change: Change, done: (count: number) => string, keep = true) => {
    const wanted = target()
    if (!keep) state.selection.value = NONE
    void changeMany(kind, wanted, change, done)
  }
  const close = () => {
    popup.value = null
  }
  /** Pickers stand at their button or, for what only a key opens, at the bar; else at the focused row. */
  const anchorOf = ({ name, ids }: ListPopup): HTMLElement | null =>
    ids
      ? document.querySelector(`.tbl [data-row="${state.focus.peek().row}"] .td.name`)
      : (box.current?.querySelector<HTMLElement>(`[data-popup="${name}"]`) ??
        box.current?.querySelector<HTMLElement>('.bulk') ??
        null)
  const anchor = open && open.name !== 'columns' ? anchorOf(open) : null

  const opens = (name: ListPopup['name'], icon: IconName, label: string) => (
    <BulkButton
      command={`${kind}.${name}`}
      icon={icon}
      data-popup={name}
      aria-haspopup="dialog"
      onClick={() => {
        popup.value = { name }
      }}
    >
      {label}
    </BulkButton>
  )
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
          {opens('owner', 'person', words.owner)}
          {kind === 'deals' && (
            <>
              {opens('stage', 'deal', openedTexts().bulkStage)}
              {opens('date', 'cal', openedTexts().bulkClose)}
              {opens('won', 'won', dealTexts().won)}
              {opens('lost', 'lost', dealTexts().lost)}
            </>
          )}
          {opens('list', 'list', words.list)}
          {opens('tags', 'tag', words.tag)}
          {kind === 'contacts' && (
            <BulkButton
              command="contacts.enroll"
              icon="seq"
              off={selection.isAll || count > MOST_ENROLLED ? words.enrollMost(MOST_ENROLLED) : undefined}
              onClick={() => runCommand('contacts.enroll')}
            >
              {words.enroll}
            </BulkButton>
          )}
          {isMergeable(kind) && (
            <Button
              plain
              icon="merge"
              off={!selection.isAll && count === 2 ? undefined : words.onlyTwo}
              onClick={() => void navigate(`/duplicates?object=${nounOf(kind)}&pair=${chosenIds().join(',')}`)}
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
                query: rowQuery(asked.peek()),
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
          {of?.isStatic && (
            <Button plain icon="x" onClick={() => void takeOut(of.id, chosenIds())}>
              {words.removeFromList}
            </Button>
          )}
          <BulkButton
            command={`${kind}.delete`}
            danger
            icon="trash"
            onClick={() => apply({ delete: true }, texts()[kind].deleted, false)}
          >
            {words.remove}
          </BulkButton>
        </BulkBar>
      )}
      {open?.name === 'owner' && anchor && (
        <PickerPopover
          anchor={anchor}
          label={words.owner}
          choices={[...ownerChoices(), { value: '', label: words.noOwner, mark: <Avatar kind="nobody" size={16} /> }]}
          chosen={[]}
          onClose={close}
          onPick={({ value }) => apply({ patch: { owner_id: value || null } }, texts()[kind].changed)}
        />
      )}
      {open && isOfDeal(open.name) && anchor && (
        <DealPopups
          key={open.name}
          name={open.name}
          target={target()}
          anchor={anchor}
          onClose={() => {
            if (popup.peek() === open) close()
          }}
          onClosing={(name) => {
            popup.value = { ...open, name }
          }}
        />
      )}
      {open?.name === 'tags' && anchor && (
        <TagPicker
          kind={kind}
          ids={open.ids ?? (selection.isAll ? [] : chosenIds())}
          anchor={anchor}
          onClose={close}
          onPick={(change) => apply(change, texts()[kind].changed)}
        />
      )}
      {open?.name === 'list' && anchor && (
        <PickerPopover
          anchor={anchor}
          label={words.findList}
          choices={boot.value.lists
            .filter((each) => each.object === nounOf(kind) && each.kind === 'static' && each.id !== of?.id)
            .map(({ id, name }) => ({ value: id, label: name }))}
          chosen={[]}
          create={async (name) => {
            const made = await create('lists', { name, object: nounOf(kind), kind: 'static' })
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
    await removeMembers(kind, { id }, ids)
  }
}
