import { useEffect, useMemo, useState } from 'preact/hooks'
import { nounOf } from '../../lib/pure/nouns.ts'
import { Button, IconButton } from '../components/button.tsx'
import { Icon } from '../components/icon.tsx'
import { MenuButton } from '../components/menu.tsx'
import { mayWrite } from '../data/may.ts'
import { isAboutPeople } from '../lib/about-people.ts'
import type { Place } from '../lib/router/types.ts'
import { navigate, query, setQuery } from '../lib/router.ts'
import { isPhone } from '../lib/widths.ts'
import { Bar } from '../shell/bar.tsx'
import { commandHints } from '../shell/commands/listen.ts'
import { askForPeople } from '../shell/pasted-people.ts'
import { sources } from '../shell/sources.ts'
import { exportCsv } from './export.ts'
import { askedAt, listContext } from './list-context.ts'
import { rowQuery } from './list-query.ts'
import { NewRecord } from './new-record.tsx'
import { countText, RecordList } from './record-list.tsx'
import { TagsManager } from './tags-manager.tsx'
import { texts } from './texts.ts'
import { prepareRows } from './use-rows.ts'

/** Asks for the first rows before the screen is shown. */
export const prepareRecords =
  (kind: 'contacts' | 'companies') =>
  ({ query }: Place): Promise<void> =>
    prepareRows(kind, rowQuery(askedAt(kind, query)))

/** Contacts or companies. */
export function RecordsScreen({ kind }: { kind: 'contacts' | 'companies' }) {
  const list = useMemo(() => listContext(kind), [kind])
  const isNew = query.value.get('new')
  const [isAdding, setAdding] = useState(false)
  const [hasTags, setTags] = useState(false)
  const leaveNew = () => isNew !== null && void setQuery({ new: null }, { replace: true })
  useEffect(() => {
    if (isNew === null) return
    if (kind === 'contacts' && mayWrite() && isAboutPeople(isNew)) {
      leaveNew()
      askForPeople(isNew)
    } else setAdding(true)
  }, [isNew])
  useEffect(() => (kind === 'contacts' ? pastedOnPage() : undefined), [kind])
  const create = useMemo(() => ({ run: () => setAdding(true) }), [])
  const exportAll = () =>
    void exportCsv({
      kind,
      query: rowQuery(list.asked.peek()),
      columns: list.columns.peek().filter(({ field }) => list.layout.peek().some(({ key }) => key === field.key)),
      sources,
      fileName: kind,
    })
  const more = () => [
    {
      items: [
        ...(mayWrite()
          ? [
              {
                label: texts().duplicates,
                icon: 'merge' as const,
                onPick: () => void navigate(`/duplicates?object=${nounOf(kind)}`),
              },
              ...(kind === 'contacts'
                ? [{ label: texts().fromText, icon: 'note' as const, onPick: () => askForPeople('') }]
                : []),
              { label: texts().tags.manage, icon: 'tag' as const, onPick: () => setTags(true) },
            ]
          : []),
        ...(isPhone.peek() ? [{ label: texts().export, icon: 'save' as const, onPick: exportAll }] : []),
      ],
    },
  ]
  const actions = (
    <>
      <MenuButton
        plain
        class="icon"
        menuLabel={texts().more}
        title={texts().more}
        aria-label={texts().more}
        align="end"
        groups={more}
      >
        <Icon name="dots" />
      </MenuButton>
      {!isPhone.value && (
        <Button plain icon="save" onClick={exportAll}>
          {texts().export}
        </Button>
      )}
      {mayWrite() &&
        (isPhone.value ? (
          <IconButton plain class="acc" icon="plus" title={texts()[kind].create} onClick={create.run} />
        ) : (
          <Button first icon="plus" keys={commandHints(`app.new-${nounOf(kind)}`).keys} onClick={create.run}>
            {texts()[kind].create}
          </Button>
        ))}
    </>
  )
  return (
    <>
      <RecordList
        list={list}
        hasViews
        create={create}
        bar={(total) => <Bar title={texts()[kind].title} summary={countText(total)} actions={actions} />}
      />
      {isAdding && mayWrite() && (
        <NewRecord
          kind={kind}
          name={isNew || undefined}
          onClose={() => {
            setAdding(false)
            leaveNew()
          }}
        />
      )}
      {hasTags && <TagsManager onClose={() => setTags(false)} />}
    </>
  )
}

/** What is pasted where nothing takes it is read for people. */
function pastedOnPage(): () => void {
  const onPaste = (event: ClipboardEvent) => {
    const text = event.clipboardData?.getData('text/plain') ?? ''
    const isTaken = event.defaultPrevented || (event.target as Element).closest('input, textarea, select, dialog')
    if (isTaken || !mayWrite() || !isAboutPeople(text)) return
    event.preventDefault()
    askForPeople(text)
  }
  document.addEventListener('paste', onPaste)
  return () => document.removeEventListener('paste', onPaste)
}
