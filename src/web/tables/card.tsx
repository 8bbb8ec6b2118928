import { Avatar } from '../components/avatar.tsx'
import type { Email } from '../components/fields/field.ts'
import { primaryFirst } from '../components/fields/show.tsx'
import type { PageKind } from '../components/kinds.ts'
import { Money } from '../components/money.tsx'
import { boot } from '../data/boot.ts'
import { nameOf } from '../data/names.ts'
import type { Rec } from '../data/types.ts'

/** A row on a phone: who or what, below it the next thing one would look for, and the owner at the end. */
export function CardOf({ kind, record }: { kind: PageKind; record: Rec }) {
  const name = String(record.name ?? record.title)
  const owner = boot.value.members.find(({ id }) => id === record.owner_id)
  return (
    <>
      {kind !== 'deals' && <Avatar kind={kind === 'contacts' ? 'contact' : 'company'} name={name} size={32} />}
      <span class="who">
        <b class="cut" dir="auto">
          {name}
        </b>
        <small class="cut" dir="auto">
          {below(kind, record)}
        </small>
      </span>
      {kind === 'deals' ? (
        <Money amount={record.amount as number | null} currency={record.currency as string | null} />
      ) : owner ? (
        <Avatar kind="member" id={owner.id} name={owner.name} alone />
      ) : (
        <span />
      )}
    </>
  )
}

function below(kind: PageKind, record: Rec): string {
  const company = typeof record.company_id === 'string' ? nameOf('companies', record.company_id) : undefined
  if (kind === 'deals') {
    const stage = boot.value.stages.find(({ id }) => id === record.stage)
    return [company, stage?.name].filter(Boolean).join(' · ')
  }
  if (kind === 'companies') return [(record.domains as string[])[0], record.industry].filter(Boolean).join(' · ')
  const email = primaryFirst((record.emails ?? []) as Email[])[0]?.email
  return [company, email].filter(Boolean).join(' · ')
}
