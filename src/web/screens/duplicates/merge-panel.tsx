import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { Avatar } from '../../components/avatar.tsx'
import { Button, IconButton } from '../../components/button.tsx'
import { Empty } from '../../components/empty.tsx'
import { isEmpty } from '../../components/fields/field-types.ts'
import { sayWhy } from '../../components/say-why.ts'
import { showToast } from '../../components/toast.tsx'
import { pathWith } from '../../data/api.ts'
import { client } from '../../data/current.ts'
import { load, record } from '../../data/records.ts'
import type { Rec } from '../../data/types.ts'
import { same } from '../../data/values.ts'
import { format } from '../../lib/locale.ts'
import { serverNow } from '../../lib/server-time.ts'
import { columnsOf } from '../../tables/columns.tsx'
import { CellValue } from '../../tables/table/cell-value.tsx'
import { readValue, type TableColumn } from '../../tables/table/column.ts'
import { texts } from '../../tables/texts.ts'
import type { MergeObject, Pair } from './pairs.ts'

type MergePanelProps = {
  object: MergeObject
  ids: [string, string]
  /** Why they may be the same, where that was found. */
  reasons: Pair['reasons']
  onClose: () => void
  onMerged: (gone: string) => void
}

/** Follow from others, or cannot be chosen. */
const FIXED = ['updated_at', 'created_at', 'unsubscribed_at', 'do_not_contact']
/** The result has the values of both: which one is chosen only says what comes first. */
const UNITED = ['emails', 'phones', 'domains', 'tag_ids', 'address']

/** Two records side by side, field by field, and what a merge would leave. */
export function MergePanel({ object, ids, reasons, onClose, onMerged }: MergePanelProps) {
  const kind = object === 'contact' ? 'contacts' : 'companies'
  const words = texts().dup
  /** Which one stays: the one that has more, until a person has decided. */
  const [swapped, setSwapped] = useState<boolean | null>(null)
  const begun = useRef<boolean>(undefined)
  /** What a person has chosen: true is the value of the merged record. */
  const [picks, setPicks] = useState<Readonly<Record<string, boolean>>>({})
  const [result, setResult] = useState<Rec | null>(null)
  const [fault, setFault] = useState<string | null>(null)
  const [isWorking, setWorking] = useState(false)
  useEffect(() => {
    for (const id of ids) void load(kind, id).catch((error) => setFault(sayWhy(error)))
  }, [])
  const both = ids.map((id) => record(kind, id).value as Rec | null | undefined)
  // Once both are there it is decided: a colleague's change must not swap them under the hand.
  if (begun.current === undefined && both[0] && both[1]) begun.current = isFuller(kind, both[1], both[0])
  const isSwapped = swapped ?? begun.current ?? false
  const [keptId, mergedId] = isSwapped ? [ids[1], ids[0]] : ids
  const kept = record(kind, keptId).value as Rec | null | undefined
  const merged = record(kind, mergedId).value as Rec | null | undefined

  const chosen = (isMerged: boolean) => Object.keys(picks).filter((key) => picks[key] === isMerged)
  const [choices, own] = [chosen(true), chosen(false)]
  useEffect(() => {
    if (begun.current === undefined) return
    let isOver = false
    const path = pathWith('/app/merges/preview', {
      object,
      kept_id: keptId,
      merged_id: mergedId,
      choices: choices.join(',') || undefined,
      kept_choices: own.join(',') || undefined,
    })
    client()
      .api.get<Rec>(path)
      .then(
        (found) => {
          if (isOver) return
          setResult(found)
          setFault(null)
        },
        (error) => !isOver && setFault(sayWhy(error)),
      )
    return () => {
      isOver = true
    }
  }, [keptId, picks, kept?.version, merged?.version])

  const rows = useMemo(() => (kept && merged ? rowsOf(columnsOf(kind), kept, merged) : []), [kept, merged])
  if (kept === null || merged === null) {
    return (
      <section class="merge" aria-label={words.compare}>
        <Empty icon="merge" title={words.gone} actions={<Button onClick={onClose}>{words.cancel}</Button>} />
      </section>
    )
  }
  if (!kept || !merged) return <section class="merge" aria-busy="true" aria-label={words.compare} />

  const merge = async () => {
    setWorking(true)
    try {
      const { api, store, newKey, asStep } = client()
      const body = { object, kept_id: keptId, merged_id: mergedId, choices, kept_choices: own }
      let key = ''
      const step = asStep(() => {
        key = newKey()
      })
      await api.request('POST', '/app/merges', { body, key })
      store.remove(kind, mergedId, { by: null, at: new Date(serverNow()).toISOString(), eventId: null })
      onMerged(mergedId)
      showToast({ text: words.done(String(kept.name)), icon: 'merge', step })
    } catch (error) {
      setWorking(false)
      setFault(sayWhy(error))
    }
  }
  return (
    <section class="merge" aria-label={words.compare}>
      <header class="merge-head row strip">
        <div class="grow">
          <h2>{words.compare}</h2>
          {reasons.length > 0 && (
            <p class="small dim">{reasons.map((reason) => texts().add.because[reason]).join(', ')}</p>
          )}
        </div>
        <Button
          plain
          icon="sort"
          onClick={() => {
            setPicks({})
            setSwapped(!isSwapped)
          }}
        >
          {words.swap}
        </Button>
        <IconButton plain icon="x" title={words.cancel} onClick={onClose} />
      </header>
      <div class="scroll" data-scroll="merge">
        <table class="merge-table">
          <thead>
            <tr>
              <th scope="col">{words.field}</th>
              <Head record={kept} kind={kind} note={words.kept} />
              <Head record={merged} kind={kind} note={words.merged} />
              <th scope="col">{words.result}</th>
            </tr>
          </thead>
          {[rows.filter((column) => !isSince(column)), rows.filter(isSince)].map(
            (part, at) =>
              part.length > 0 && (
                <tbody key={at} class={at === 1 ? 'merge-since' : undefined}>
                  {part.map((column) => (
                    <Row
                      key={column.field.key}
                      column={column}
                      kept={kept}
                      merged={merged}
                      result={result}
                      isMerged={picks[column.field.key] ?? isEmpty(readValue(column, kept))}
                      onChoose={(isMerged) => setPicks({ ...picks, [column.field.key]: isMerged })}
                    />
                  ))}
                </tbody>
              ),
          )}
        </table>
      </div>
      <footer class="merge-foot row strip">
        {fault ? (
          <span class="late small grow" role="alert">
            {fault}
          </span>
        ) : (
          <span class="small mute grow">{words.body}</span>
        )}
        <Button plain large onClick={onClose}>
          {words.cancel}
        </Button>
        <Button first large icon="merge" working={isWorking ? '…' : undefined} onClick={() => void merge()}>
          {words.doMerge(String(kept.name))}
        </Button>
      </footer>
    </section>
  )
}

function Head({ record: found, kind, note }: { record: Rec; kind: 'contacts' | 'companies'; note: string }) {
  return (
    <th scope="col">
      <span class="row">
        <Avatar kind={kind === 'contacts' ? 'contact' : 'company'} name={String(found.name)} />
        <a class="mid" dir="auto" href={`/${kind}/${found.id}`}>
          {String(found.name)}
        </a>
      </span>
      <span class="small mute">
        {note}, {texts().dup.created(format.value.date(String(found.created_at)))}
      </span>
    </th>
  )
}

type RowProps = {
  column: TableColumn
  kept: Rec
  merged: Rec
  result: Rec | null
  isMerged: boolean
  onChoose: (isMerged: boolean) => void
}

function Row({ column, kept, merged, result, isMerged, onChoose }: RowProps) {
  const { key, label } = column.field
  const name = `merge-${key}`
  const isDifferent = !same(readValue(column, kept), readValue(column, merged))
  const isUnited = UNITED.includes(key)
  // Of what is united, nothing can be chosen where one of them has nothing.
  const isOneSided = isEmpty(readValue(column, kept)) || isEmpty(readValue(column, merged))
  const canChoose = isDifferent && !FIXED.includes(key) && !(isUnited && isOneSided)
  const pick = (found: Rec, isOther: boolean) => (
    <td class={isDifferent && isMerged === isOther ? 'is-picked' : undefined}>
      {canChoose ? (
        <label class="row">
          <input
            type="radio"
            name={name}
            aria-label={`${texts().dup.use(label)}: ${String(found.name)}`}
            checked={isMerged === isOther}
            onChange={() => onChoose(isOther)}
          />
          <CellValue column={column} record={found} />
        </label>
      ) : (
        <span class="row">
          <CellValue column={column} record={found} />
        </span>
      )}
    </td>
  )
  return (
    <tr>
      <th scope="row">
        {label}
        {isUnited && canChoose && <span class="small mute merge-united">{texts().dup.united}</span>}
      </th>
      {pick(kept, false)}
      {pick(merged, true)}
      <td class="merge-result">{result && <CellValue column={column} record={result} />}</td>
    </tr>
  )
}

/** Whether one has more than the other; the older one stays where they have the same. */
function isFuller(kind: 'contacts' | 'companies', one: Rec, other: Rec): boolean {
  const count = (found: Rec) => columnsOf(kind).filter((column) => !isEmpty(readValue(column, found))).length
  const more = count(one) - count(other)
  return more > 0 || (more === 0 && String(one.created_at) < String(other.created_at))
}

/** When they were made and changed: no choice, and apart from those that are. */
const isSince = ({ field: { key } }: TableColumn) => key === 'created_at' || key === 'updated_at'
/** What a record is called. The name of a contact follows from its parts. */
const NAMES = ['name', 'first_name', 'last_name']

/** The fields that one of them has: what it is called, then those that differ. */
function rowsOf(columns: readonly TableColumn[], kept: Rec, merged: Rec): TableColumn[] {
  const isThere = (column: TableColumn) =>
    !column.field.key.startsWith('address.') &&
    !(column.field.key === 'name' && 'emails' in kept) &&
    (!isEmpty(readValue(column, kept)) || !isEmpty(readValue(column, merged)))
  const differs = (column: TableColumn) => !same(readValue(column, kept), readValue(column, merged))
  const rank = (column: TableColumn) => (NAMES.includes(column.field.key) ? 0 : differs(column) ? 1 : 2)
  return columns.filter(isThere).sort((one, other) => rank(one) - rank(other))
}
