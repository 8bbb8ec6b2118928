import type { Field } from '../../components/fields/field.ts'
import { Value } from '../../components/fields/value.tsx'
import { Icon } from '../../components/icon.tsx'
import type { PageKind } from '../../components/kinds.ts'
import { propertyNamed } from '../../components/properties/properties.ts'
import { boot } from '../../data/boot.ts'
import { format } from '../../lib/locale.ts'
import { texts } from '../texts.ts'
import type { FieldChange } from './entries.ts'

/** What a change did to one field: "Amount EUR 78,000 → EUR 92,000". Sets say what came and went. */
export function ChangeLine({ kind, change }: { kind: PageKind; change: FieldChange }) {
  const { field } = propertyNamed(kind, change.name)
  if (field.type === 'tags') return <SetChange field={field} change={change} />
  if (field.type === 'long_text') return <span>{texts().timeline.changedText(field.label)}</span>
  return (
    <>
      {field.label} <Plain value={change.before} field={field} />{' '}
      <Icon name="to" small class="mute" title={texts().timeline.to} />{' '}
      <b>
        <Plain value={change.after} field={field} />
      </b>
    </>
  )
}

/** As it was written: the paths of an address and the domains of a company are one text. */
function Plain({ value, field }: { value: unknown; field: Field }) {
  if (field.type === 'text' && typeof value === 'object' && value !== null) {
    return <>{Array.isArray(value) ? value.map(String).join(', ') || '—' : JSON.stringify(value)}</>
  }
  if (field.type === 'text' && typeof value === 'boolean') return <>{String(value)}</>
  if (field.type === 'text' && typeof value === 'number') return <>{format.value.number(value)}</>
  return <Value value={value ?? null} field={field} />
}

function SetChange({ field, change }: { field: Field; change: FieldChange }) {
  const before = (change.before ?? []) as string[]
  const after = (change.after ?? []) as string[]
  const came = after.filter((id) => !before.includes(id)).map(tagName)
  const went = before.filter((id) => !after.includes(id)).map(tagName)
  const words = texts().timeline
  return (
    <>
      {field.label}{' '}
      {came.length > 0 && (
        <>
          {words.added} <b>{format.value.list(came)}</b>
        </>
      )}
      {came.length > 0 && went.length > 0 && ', '}
      {went.length > 0 && (
        <>
          {words.removed} <b>{format.value.list(went)}</b>
        </>
      )}
    </>
  )
}

const tagName = (id: string): string => boot.value.tags.find((tag) => tag.id === id)?.name ?? '…'
