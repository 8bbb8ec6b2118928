import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { BulkBar } from '../../components/bulk-bar.tsx'
import { Button } from '../../components/button.tsx'
import { Check } from '../../components/check.tsx'
import { Empty } from '../../components/empty.tsx'
import { sayWhy } from '../../components/say-why.ts'
import { Bar as Grey } from '../../components/skeleton.tsx'
import { BIN_KINDS, type BinRow, type BinRows, binRows } from '../../data/bin.ts'
import { client } from '../../data/current.ts'
import { mayWrite } from '../../data/may.ts'
import { query } from '../../lib/router.ts'
import { commandHints } from '../../shell/commands/listen.ts'
import { register } from '../../shell/commands/registry.ts'
import { texts as settingsTexts } from '../../shell/settings/texts.ts'
import { SettingsFrame } from '../../shell/settings-frame.tsx'
import { texts as tableTexts } from '../../tables/table/texts.ts'
import { BinRowView } from './bin-row.tsx'
import { type Acts, commandsOf } from './commands.ts'
import { restoreRows } from './restoring.ts'
import { SearchBin } from './search-bin.tsx'
import { texts } from './texts.ts'
import './bin.css'

/** What was deleted in the last 30 days, by whom and when, and the way back. */
export default function Bin() {
  const kind = BIN_KINDS.find((each) => each === query.value.get('kind'))
  const q = query.value.get('q') ?? ''
  return (
    <SettingsFrame title={settingsTexts().bin} summary={texts().summary}>
      {!mayWrite() ? (
        <Empty icon="trash" title={texts().notAllowed}>
          {texts().notAllowedBody}
        </Empty>
      ) : (
        <>
          <div class="bin-filters row strip">
            <nav class="tabs" aria-label={texts().kindsLabel}>
              {(['all', ...BIN_KINDS] as const).map((each) => (
                <a key={each} href={addressOf(each, q)} aria-current={each === (kind ?? 'all') ? 'page' : undefined}>
                  {texts().kinds[each]}
                </a>
              ))}
            </nav>
            <SearchBin q={q} />
          </div>
          <Deleted key={`${kind} ${q}`} kind={kind} q={q} />
        </>
      )}
    </SettingsFrame>
  )
}

function Deleted({ kind, q }: { kind: BinRow['record']['kind'] | undefined; q: string }) {
  const bin = useMemo(() => binRows(client(), { ...(kind ? { kind } : {}), ...(q ? { q } : {}) }), [])
  useEffect(() => {
    void bin.more()
    return bin.dispose
  }, [bin])
  const { error, isDone, isLoading, fresh, rows } = bin
  const isEmpty = rows.value.length === 0 && isDone.value
  return (
    <>
      {fresh.value.length > 0 && (
        <Button class="bin-fresh" plain icon="up" onClick={bin.showFresh}>
          {texts().fresh(fresh.value.length)}
        </Button>
      )}
      {rows.value.length > 0 && <Rows bin={bin} />}
      {isLoading.value && [0, 1, 2, 3].map((row) => <Grey key={row} row={row} />)}
      {error.value !== undefined && (
        <Empty
          icon="alert"
          title={texts().failed}
          actions={<Button onClick={() => void bin.more()}>{tableTexts().again}</Button>}
        >
          {sayWhy(error.value)}
        </Empty>
      )}
      {isEmpty && (q || kind) && (
        <Empty
          icon="trash"
          title={texts().noneFits}
          actions={
            <a class="btn" href="/settings/bin">
              {texts().showAll}
            </a>
          }
        >
          {texts().noneFitsBody}
        </Empty>
      )}
      {isEmpty && !q && !kind && (
        <Empty icon="trash" title={texts().empty}>
          {texts().emptyBody}
        </Empty>
      )}
      {!isDone.value && !isLoading.value && error.value === undefined && (
        <Button plain class="bin-more" onClick={() => void bin.more()}>
          {texts().more}
        </Button>
      )}
    </>
  )
}

function addressOf(kind: string, q: string): string {
  const given = new URLSearchParams({ ...(kind === 'all' ? {} : { kind }), ...(q ? { q } : {}) }).toString()
  return given ? `/settings/bin?${given}` : '/settings/bin'
}

function Rows({ bin }: { bin: BinRows }) {
  const [here, setHere] = useState<string | null>(null)
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [working, setWorking] = useState<ReadonlySet<string>>(new Set())
  const list = useRef<HTMLUListElement>(null)
  const anchor = useRef<string | null>(null)
  const rows = bin.rows.value
  const isBack = ({ event_id }: BinRow) => bin.fates.value.get(event_id)?.kind === 'restored'
  const open = rows.filter((row) => !isBack(row) && row.refusal === null)
  const chosen = open.filter(({ event_id }) => selected.has(event_id))
  const at = rows.find(({ event_id }) => event_id === here) ?? rows[0]

  async function restore(given: readonly BinRow[]): Promise<void> {
    const wanted = given.filter(({ event_id }) => !working.has(event_id))
    if (wanted.length === 0) return
    setWorking(new Set([...working, ...wanted.map(({ event_id }) => event_id)]))
    setSelected(new Set())
    await restoreRows(bin, wanted)
    setWorking((before) => before.difference(new Set(wanted.map(({ event_id }) => event_id))))
  }

  function select({ event_id }: BinRow, isOn: boolean, isRange = false): void {
    const ids = open.map((row) => row.event_id)
    const ends = [ids.indexOf(anchor.current ?? ''), ids.indexOf(event_id)]
    const range = isRange && !ends.includes(-1) ? ids.slice(Math.min(...ends), Math.max(...ends) + 1) : [event_id]
    anchor.current = event_id
    setSelected(isOn ? selected.union(new Set(range)) : selected.difference(new Set(range)))
  }

  function step(by: number): void {
    const index = at ? rows.indexOf(at) : 0
    const next = rows[Math.max(0, Math.min(rows.length - 1, index + by))]
    if (!next) return
    setHere(next.event_id)
    list.current?.querySelector<HTMLElement>(`[data-bin="${next.event_id}"]`)?.focus()
  }

  const acts = useRef({} as Acts)
  acts.current = {
    step,
    toggle: () => at && open.includes(at) && select(at, !selected.has(at.event_id)),
    restore: () => void restore(chosen.length > 0 ? chosen : at && open.includes(at) ? [at] : []),
    clear: () => setSelected(new Set()),
    hasSelection: () => chosen.length > 0,
  }
  useLayoutEffect(() => register(commandsOf(acts)), [])

  return (
    <>
      <div class="bin-all">
        <Check
          checked={chosen.length > 0 && chosen.length === open.length}
          some={chosen.length > 0 && chosen.length < open.length}
          onChange={(isOn) => setSelected(new Set(isOn ? open.map(({ event_id }) => event_id) : []))}
        >
          {texts().selectAll}
        </Check>
      </div>
      <ul ref={list} class="bin" aria-label={texts().list} onKeyDown={arrows(step)}>
        {rows.map((row) => (
          <BinRowView
            key={row.event_id}
            row={row}
            fate={bin.fates.value.get(row.event_id)}
            isHere={row === at}
            isSelected={selected.has(row.event_id) && !isBack(row)}
            isWorking={working.has(row.event_id)}
            onEnter={() => setHere(row.event_id)}
            onSelect={(isOn, isRange) => select(row, isOn, isRange)}
            onRestore={() => void restore([row])}
          />
        ))}
      </ul>
      {chosen.length > 0 && (
        <BulkBar
          text={texts().selected(chosen.length)}
          label={texts().bar}
          clear={texts().clear}
          onClear={() => setSelected(new Set())}
        >
          <Button first icon="undo" keys={commandHints('bin.restore').keys} onClick={() => void restore(chosen)}>
            {texts().restore}
          </Button>
        </BulkBar>
      )}
    </>
  )
}

function arrows(step: (by: number) => void) {
  return (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === 'ArrowDown') step(1)
    else if (event.key === 'ArrowUp') step(-1)
    else return
    event.preventDefault()
  }
}
