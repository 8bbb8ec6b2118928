import { isPageKind } from '../../components/kinds.ts'
import { propertyNamed } from '../../components/properties/properties.ts'
import { boot, me, memberName } from '../../data/boot.ts'
import type { LeftOut, Step } from '../../data/take-back.ts'
import { texts as workTexts } from '../../lib/texts/work/texts.ts'
import { texts } from './texts.ts'

// My steps in words: what was done, to what.

/** Follow from other fields, which are named. */
const DERIVED = ['status', 'closed_at', 'close_reason_id', 'stage_changed_at', 'completed_at', 'is_overdue']

/** "Amount, Owner of “Roof”". */
export function describe(step: Step): string {
  const words = texts()
  const { records, types, merged_into, bulk, count } = step
  if (bulk) return describeBulk(bulk, count)
  const [first] = records
  const what = count === 1 ? titled(first?.title) : words.many(kindOf(step), count)
  if (merged_into) return words.merged(titled(first?.title), titled(merged_into.title))
  const [type = ''] = types
  const change = types.length === 1 ? type.slice(type.indexOf('.') + 1) : ''
  if (change === 'created') return words.created(what)
  if (change === 'deleted') return words.deleted(what)
  if (change === 'restored') return words.restored(what)
  if (change === 'closed') return words.closed(what)
  if (change === 'completed') return words.done(what)
  if (change === 'stage_changed' && step.fields.includes('stage') && namesOf(step).length === 1)
    return words.moved(what)
  const names = namesOf(step)
  return words.changed(names.length > 0 ? names.join(', ') : words.changes, what)
}

function describeBulk({ kind, change }: NonNullable<Step['bulk']>, count: number): string {
  const words = texts()
  if (kind === 'members')
    return workTexts().handedOver(memberName(String(change.from_id)) ?? words.someone, workTexts().records(count))
  const what = words.many(kind, count)
  if (change.delete) return words.deleted(what)
  if (change.close) return words.closed(what)
  const list = (id: unknown) => {
    const name = boot.value.lists.find((each) => each.id === id)?.name
    return name === undefined ? words.list : words.record(name)
  }
  if (change.list_id) return words.added(what, list(change.list_id))
  if (change.from_list_id) return words.takenOut(what, list(change.from_list_id))
  const fields = Object.keys((change.patch as object | undefined) ?? {}).map((name) => fieldName(kind, name))
  if (change.add_tag_ids || change.remove_tag_ids) fields.push(words.tags)
  return words.changed(fields.length > 0 ? [...new Set(fields)].join(', ') : words.changes, what)
}

const kindOf = ({ records }: Step): string => {
  const kinds = new Set(records.map(({ kind }) => kind))
  return kinds.size === 1 ? (records[0]?.kind ?? '') : ''
}

const titled = (title: string | null | undefined): string =>
  title ? texts().record(title.length > MOST ? `${title.slice(0, MOST)}…` : title) : texts().untitled
const MOST = 60

function namesOf({ fields, records }: Step): string[] {
  const kind = records[0]?.kind ?? ''
  const shown = fields.filter((name) => !DERIVED.includes(name) && !(name === 'name' && fields.length > 1))
  const all = shown.length > 0 ? shown : fields.filter((name) => name === 'status')
  return [...new Set(all.map((name) => fieldName(kind, name)))]
}

/** The name of a field for people. */
export function fieldName(kind: string, name: string): string {
  const own = texts().fields[name]
  if (!isPageKind(kind)) return own ?? name
  const { label } = propertyNamed(kind, name).field
  return label === name ? (own ?? name) : label
}

/** "Amount, Owner of “Roof”", of fields of one record. */
export function describeFields(kind: string, fields: readonly string[], title: string | null): string {
  if (fields.length === 1 && fields[0] === 'stage') return texts().moved(titled(title))
  const names = [...new Set(fields.map((name) => fieldName(kind, name)))]
  return texts().changed(names.join(', ') || texts().changes, titled(title))
}

/** Why nothing was taken back of a step; `why` is what else it was refused for, in the member's words. */
export function describeRefusal(
  step: Step | undefined,
  { code, record, fields, by }: Omit<LeftOut, 'record' | 'detail'> & { record: Omit<LeftOut['record'], 'id'> },
  why: string,
): string {
  const words = texts()
  const what = titled(record.title)
  if (code === 'changed_since') {
    const who = by === null ? words.someone : by === me.peek().id ? words.you : (memberName(by) ?? words.someone)
    const names = [...new Set(fields.filter((name) => name !== 'version').map((name) => fieldName(record.kind, name)))]
    return names.length > 0 ? words.refused(who, names.join(', '), what) : words.refusedNew(who, what)
  }
  return words.notTakenBack(step ? describe(step) : what, code === 'not_in_bin' ? words.noBin : why)
}

export const describeLeft = (left: readonly LeftOut[]): string =>
  left
    .slice(0, 3)
    .flatMap(({ record: { title }, by }) => {
      const who = by === null ? undefined : memberName(by)
      return title ? [`${titled(title)}${who ? ` (${who})` : ''}`] : []
    })
    .join(', ')
