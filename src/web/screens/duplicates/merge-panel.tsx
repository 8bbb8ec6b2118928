import { useEffect, useMemo, useState } from 'preact/hooks'
import { Avatar } from '../../components/avatar.tsx'
import { Button, IconButton } from '../../components/button.tsx'
import { Empty } from '../../components/empty.tsx'
import { isEmpty } from '../../components/fields/field-types.ts'
import { CellValue } from '../../components/table/cell-value.tsx'
import { readValue, type TableColumn } from '../../components/table/column.ts'
import { showToast } from '../../components/toast.tsx'
import { pathWith } from '../../data/api.ts'
import { client } from '../../data/current.ts'
import { load, record } from '../../data/records.ts'
import type { Rec } from '../../data/types.ts'
import { same } from '../../data/values.ts'
import { format } from '../../lib/locale.ts'
import { sayWhy } from '../../shell/say-why.ts'
import { columnsOf } from '../tables/columns.tsx'
import { texts } from '../tables/texts.ts'
import type { MergeObject } from './pairs.ts'

type MergePanelProps = {
  object: MergeObject
  /** The first one stays, until they are swapped. */
  ids: [string, string]
  onClose: () => void
  onMerged: (gone: string) => void
  onUndone: () => void
}

type Merge = { id: string; kept_id: string; merged_id: string }

/** Follow from others, or cannot be chosen. */
const FIXED = ['updated_at', 'created_at', 'unsubscribed_at', 'do_not_contact']

/** Two records side by side, field by field, and what a merge would leave. */
export function MergePanel({ object, ids, onClose, onMerged, onUndone }: MergePanelProps) {
  const kind = object === 'contact' ? 'contacts' : 'companies'
  const words = texts().dup
  const [isSwapped, setSwapped] = useState(false)
  const [choices, setChoices] = useState<readonly string[]>([])
  const [result, setResult] = useState<Rec | null>(null)
  const [fault, setFault] = useState<string | null>(null)
  const [isWorking, setWorking] = useState(false)
  const [keptId, mergedId] = isSwapped ? [ids[1], ids[0]] : ids
  useEffect(() => {
    for (const id of ids) void load(kind, id).catch((error) => setFault(sayWhy(error)))
  }, [])
  const kept = record(kind, keptId).value as Rec | null | undefined
  const merged = record(kind, mergedId).value as Rec | null | undefined

  useEffect(() => {
    let isOver = false
    const path = pathWith('/app/merges/preview', {
      object,
      kept_id: keptId,
      merged_id: mergedId,
      choices: choices.length > 0 ? choices.join(',') : undefined,
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
  }, [keptId, choices, kept?.version, merged?.version])

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
      const { api, store } = client()
      const body = { object, kept_id: keptId, merged_id: mergedId, ...(choices.length > 0 ? { choices } : {}) }
      const { body: made } = await api.request<Merge>('POST', '/app/merges', { body })
      store.remove(kind, mergedId, { by: null, at: new Date().toISOString(), eventId: null })
      onMerged(mergedId)
      showToast({ text: words.done(String(kept.name)), icon: 'merge', undo: () => void undo(made.id) })
    } catch (error) {
      setWorking(false)
      setFault(sayWhy(error))
    }
  }
  const undo = async (id: string) => {
    try {
      const { api } = client()
      const { body } = await api.request<{ left: unknown[] }>('POST', `/app/merges/${id}/undo`)
      showToast({ text: body.left.length === 0 ? words.undone : words.left(body.left.length), icon: 'undo' })
      onUndone()
    } catch (error) {
      showToast({ kind: 'error', text: sayWhy(error) })
    }
  }
  const toggle = (key: string, isMerged: boolean) => {
    const others = choices.filter((each) => each !== key)
    setChoices(isMerged ? [...others, key] : others)
  }
  return (
    <section class="merge" aria-label={words.compare}>
      <header class="merge-head">
        <h2 class="grow">{words.compare}</h2>
        <Button
          plain
          icon="sort"
          onClick={() => {
            setChoices([])
            setSwapped(!isSwapped)
          }}
        >
          {words.swap}
        </Button>
        <IconButton plain icon="x" title={words.cancel} onClick={onClose} />
      </header>
      <div class="merge-body" data-scroll="merge">
        <table class="merge-table">
          <thead>
            <tr>
              <th scope="col">{words.field}</th>
              <Head record={kept} kind={kind} note={words.kept} />
              <Head record={merged} kind={kind} note={words.merged} />
              <th scope="col">{words.result}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((column) => (
              <Row
                key={column.field.key}
                column={column}
                kept={kept}
                merged={merged}
                result={result}
                isMerged={choices.includes(column.field.key)}
                onChoose={(isMerged) => toggle(column.field.key, isMerged)}
              />
            ))}
          </tbody>
        </table>
      </div>
      <footer class="merge-foot">
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
        <a class="cut mid" href={`/${kind}/${found.id}`}>
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
  const canChoose = isDifferent && !FIXED.includes(key)
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
      <th scope="row">{label}</th>
      {pick(kept, false)}
      {pick(merged, true)}
      <td class="merge-result">{result && <CellValue column={column} record={result} />}</td>
    </tr>
  )
}

/** The fields that one of them has; those that differ come first. The name of a contact follows from its parts. */
function rowsOf(columns: readonly TableColumn[], kept: Rec, merged: Rec): TableColumn[] {
  const isThere = (column: TableColumn) =>
    !column.field.key.startsWith('address.') &&
    !(column.field.key === 'name' && 'emails' in kept) &&
    (!isEmpty(readValue(column, kept)) || !isEmpty(readValue(column, merged)))
  const differs = (column: TableColumn) => !same(readValue(column, kept), readValue(column, merged))
  const all = columns.filter(isThere)
  return [...all.filter(differs), ...all.filter((column) => !differs(column))]
}
