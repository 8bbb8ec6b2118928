import { Avatar } from '../../components/avatar.tsx'
import { Icon, type IconName } from '../../components/icon.tsx'
import { Kbd } from '../../components/kbd.tsx'
import { Money } from '../../components/money.tsx'
import { Pips } from '../../components/pips.tsx'
import { boot } from '../../data/boot.ts'
import type { Company, Contact, Deal, Rec, Task } from '../../data/types.ts'
import { pieces } from '../../lib/found.ts'
import { isMac } from '../../lib/keyboard.ts'
import { format } from '../../lib/locale.ts'
import { now } from '../../lib/now.ts'
import { keysOf } from './dispatch.ts'
import { keyLabels } from './keys.ts'
import { bindings } from './listen.ts'
import { type Hit, type SearchedKind, titleOf } from './palette-search.ts'
import { companyName } from './palette-sources.ts'
import { paletteTexts } from './palette-texts.ts'
import type { Visit } from './recent.ts'
import type { Command } from './registry.ts'

export const KIND_ICONS: Record<string, IconName> = {
  deals: 'deal',
  contacts: 'person',
  companies: 'firm',
  tasks: 'task',
  meetings: 'cal',
  lists: 'list',
}

export function HitRow({ hit: { kind, record }, words }: { hit: Hit; words: readonly string[] }) {
  return (
    <>
      <Mark kind={kind} record={record} />
      <span class="t cut" dir="auto">
        <Marked text={titleOf(kind, record)} words={words} />
      </span>
      <span class="grow mute cut" dir="auto">
        <Marked text={subtitleOf(kind, record)} words={words} />
      </span>
      <span class="e row">
        <End kind={kind} record={record} />
      </span>
    </>
  )
}

export function VisitRow({ visit }: { visit: Visit }) {
  return (
    <>
      <Icon name={KIND_ICONS[visit.kind] ?? 'clock'} />
      <span class="t cut" dir="auto">
        {visit.title}
      </span>
      <span class="grow mute cut" dir="auto">
        {paletteTexts().kinds[visit.kind as SearchedKind] ?? ''}
      </span>
    </>
  )
}

export function CommandRow({ command, words }: { command: Command; words: readonly string[] }) {
  const keys = keysOf(command, bindings.value)
  return (
    <>
      <Icon name={(command.icon as IconName | undefined) ?? 'right'} />
      <span class="t cut" dir="auto">
        <Marked text={command.title()} words={words} />
      </span>
      <span class="grow mute cut" dir="auto" />
      <span class="e row">
        {keys !== undefined && keyLabels(keys, isMac).map((label) => <Kbd key={label} keys={label} />)}
      </span>
    </>
  )
}

function Marked({ text, words }: { text: string; words: readonly string[] }) {
  if (words.length === 0) return <>{text}</>
  return <>{pieces(text, words).map(({ text, isHit }) => (isHit ? <mark>{text}</mark> : text))}</>
}

function Mark({ kind, record }: { kind: SearchedKind; record: Rec }) {
  const name = titleOf(kind, record)
  if (kind === 'companies') return <Avatar kind="company" name={name} />
  if (kind === 'contacts') return <Avatar kind="contact" name={name} />
  if (kind === 'tasks' || kind === 'meetings') return <Icon name={KIND_ICONS[kind] ?? 'task'} />
  const deal = record as Partial<Deal>
  const stage = boot.value.stages.find(({ id }) => id === deal.stage)
  const open = boot.value.stages.filter(({ pipeline_id, is_open }) => pipeline_id === stage?.pipeline_id && is_open)
  const at = open.findIndex(({ id }) => id === deal.stage) + 1
  const outcome = deal.status === 'won' || deal.status === 'lost' ? deal.status : null
  return <Pips of={open.length} at={at} outcome={outcome} />
}

/** What the record is, and where it belongs. */
function subtitleOf(kind: SearchedKind, record: Rec): string {
  const { company_id, job_title, address, domains } = record as Partial<Contact & Company>
  const company = companyName(company_id)
  if (kind === 'deals') return company ?? paletteTexts().kinds.deals
  if (kind === 'contacts') return [paletteTexts().kinds.contacts, job_title, company].filter(Boolean).join(', ')
  if (kind === 'companies')
    return [paletteTexts().kinds.companies, address?.city ?? domains?.[0]].filter(Boolean).join(', ')
  return [paletteTexts().kinds[kind], company].filter(Boolean).join(', ')
}

function End({ kind, record }: { kind: SearchedKind; record: Rec }) {
  if (kind === 'deals') {
    const { amount, currency } = record as Partial<Deal>
    return amount === null || amount === undefined ? null : <Money amount={amount} currency={currency} />
  }
  if (kind === 'meetings') return <span>{format.value.when(String(record.starts_at), now.value)}</span>
  const { due_at, is_overdue } = record as Partial<Task>
  if (kind !== 'tasks' || !due_at) return null
  return <span class={is_overdue ? 'late' : undefined}>{format.value.when(due_at, now.value)}</span>
}
