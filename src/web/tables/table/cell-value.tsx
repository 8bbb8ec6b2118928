import { Avatar } from '../../components/avatar.tsx'
import type { Email, Phone } from '../../components/fields/field.ts'
import { isEmpty } from '../../components/fields/field-types.ts'
import { optionTags, primaryFirst } from '../../components/fields/show.tsx'
import { useSources } from '../../components/fields/sources.ts'
import { Value } from '../../components/fields/value.tsx'
import { TagsInLine } from '../../components/tag.tsx'
import type { Rec } from '../../data/types.ts'
import { readValue, type TableColumn } from './column.ts'

/** A value in a cell: like everywhere, but nothing in it can be pressed, since the cell has the only tab stop. */
export function CellValue({ column, record }: { column: TableColumn; record: Rec }) {
  const sources = useSources()
  if (column.show) return <>{column.show(record)}</>
  const value = readValue(column, record)
  const { type } = column.field
  if (type === 'member') return <Member id={value as string | null} />
  if (isEmpty(value)) return <span class="mute">—</span>
  switch (type) {
    case 'email':
    case 'phone':
      return (
        <span class="cut" dir="auto">
          {String(value)}
        </span>
      )
    case 'url':
      return (
        <span class="cut" dir="auto">
          {String(value)
            .replace(/^https?:\/\/(www\.)?/, '')
            .replace(/\/$/, '')}
        </span>
      )
    case 'emails':
      return <Several texts={primaryFirst(value as Email[]).map(({ email }) => email)} />
    case 'phones':
      return <Several texts={primaryFirst(value as Phone[]).map(({ number }) => number)} />
    case 'tags':
      return (
        <TagsInLine tags={(value as string[]).flatMap((id) => sources.tags().find((tag) => tag.id === id) ?? [])} />
      )
    case 'multi_select':
      return <TagsInLine tags={optionTags(value as string[], column.field)} />
    case 'company':
    case 'contact':
      return (
        <span class="cut" dir="auto">
          {sources.nameOf(type, String(value)) ?? '…'}
        </span>
      )
    case 'long_text':
      return (
        <span class="cut" dir="auto">
          {String(value)}
        </span>
      )
    default:
      return <Value value={value} field={column.field} />
  }
}

function Several({ texts }: { texts: readonly string[] }) {
  return (
    <span class="row">
      <span class="cut" dir="auto">
        {texts[0]}
      </span>
      {texts.length > 1 && <span class="small mute">+{texts.length - 1}</span>}
    </span>
  )
}

function Member({ id }: { id: string | null }) {
  const member = useSources()
    .members()
    .find((each) => each.id === id)
  if (id === null) return <Avatar kind="nobody" />
  return <Avatar kind="member" id={id} name={member?.name ?? ''} alone />
}
