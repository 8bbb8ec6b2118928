import { format } from '../../lib/locale.ts'
import { now } from '../../lib/now.ts'
import { t } from '../../lib/texts/texts.ts'
import { Avatar } from '../avatar.tsx'
import { Money as Amount } from '../money.tsx'
import { Tag, type TagLook, Tags } from '../tag.tsx'
import type { Address, Email, Field, Money, Phone } from './field.ts'
import { PhoneLinks } from './phone-links.tsx'
import { type Linked, useSources } from './sources.ts'

// How values are read: in records, in cells and at rest.

type Shown<Value> = { value: Value; field: Field }

export const ShowText = ({ value }: Shown<string>) => (
  <span class="cut" dir="auto">
    {value}
  </span>
)
export const ShowLongText = ({ value }: Shown<string>) => (
  <span class="long" dir="auto">
    {value}
  </span>
)
export const ShowNumber = ({ value }: Shown<number>) => <span class="nowrap">{format.value.number(value)}</span>
export const ShowBoolean = ({ value }: Shown<boolean>) => <span>{value ? t().yes : t().no}</span>
export const ShowMoney = ({ value }: Shown<Money>) => <Amount amount={value.amount} currency={value.currency} />

export const ShowDate = ({ value }: Shown<string>) => (
  <time dateTime={value} title={format.value.full(value)} class="nowrap">
    {format.value.date(value)}
  </time>
)

export const ShowDateTime = ({ value }: Shown<string>) => (
  <time dateTime={value} title={format.value.full(value)} class="nowrap">
    {format.value.when(value, now.value)}
  </time>
)

export function ShowOption({ value, field }: Shown<string>) {
  const option = field.options?.find((each) => each.value === value)
  if (option?.color) return <Tag name={option.label} color={option.color} />
  return (
    <span class="cut" dir="auto">
      {option?.label ?? value}
    </span>
  )
}

export function ShowOptions({ value, field }: Shown<string[]>) {
  return <Tags tags={optionTags(value, field)} />
}

/** The chosen options as tags. */
export const optionTags = (value: readonly string[], field: Field): TagLook[] =>
  value.map((each) => {
    const option = field.options?.find((one) => one.value === each)
    return { name: option?.label ?? each, color: option?.color ?? null }
  })

export function ShowTags({ value }: Shown<string[]>) {
  const all = useSources().tags()
  return <Tags tags={value.flatMap((id) => all.find((tag) => tag.id === id) ?? [])} />
}

export function ShowUrl({ value }: Shown<string>) {
  const text = value.replace(/^https?:\/\/(www\.)?/, '').replace(/\/$/, '')
  // No other scheme becomes a link: one could be a script.
  if (!/^https?:\/\//i.test(value))
    return (
      <span class="cut" dir="auto">
        {value}
      </span>
    )
  return (
    <a class="link cut" dir="auto" href={value} target="_blank" rel="noreferrer">
      {text}
    </a>
  )
}

export const ShowEmail = ({ value }: Shown<string>) => (
  <a class="link cut" dir="auto" href={`mailto:${value}`}>
    {value}
  </a>
)

export const ShowPhone = ({ value }: Shown<string>) => <PhoneLinks written={value} />

export function ShowEmails({ value, field }: Shown<Email[]>) {
  return (
    <Several items={primaryFirst(value).map(({ email }) => <ShowEmail key={email} value={email} field={field} />)} />
  )
}

export function ShowPhones({ value, field }: Shown<Phone[]>) {
  return (
    <Several items={primaryFirst(value).map(({ number }) => <ShowPhone key={number} value={number} field={field} />)} />
  )
}

/** The first, and how many more there are. */
function Several({ items }: { items: preact.ComponentChild[] }) {
  return (
    <>
      {items[0]}
      {items.length > 1 && <span class="small mute">+{items.length - 1}</span>}
    </>
  )
}

export function primaryFirst<Item extends { is_primary: boolean }>(items: readonly Item[]): Item[] {
  return [...items].sort((a, b) => Number(b.is_primary) - Number(a.is_primary))
}

export function ShowMember({ value }: Shown<string>) {
  const member = useSources()
    .members()
    .find(({ id }) => id === value)
  return (
    <>
      <Avatar kind="member" id={value} name={member?.name} />
      <span class="cut" dir="auto">
        {member?.name ?? t().unknown}
      </span>
    </>
  )
}

export const ShowCompany = ({ value }: Shown<string>) => <ShowLinked kind="company" id={value} />
export const ShowContact = ({ value }: Shown<string>) => <ShowLinked kind="contact" id={value} />
export const showSeveral = (kind: Linked) =>
  function ShowSeveral({ value }: Shown<string[]>) {
    return <Several items={value.map((id) => <ShowLinked key={id} kind={kind} id={id} />)} />
  }

function ShowLinked({ kind, id }: { kind: Linked; id: string }) {
  const sources = useSources()
  const name = sources.nameOf(kind, id)
  const href = sources.hrefOf(kind, id)
  return (
    <>
      {kind !== 'deal' && <Avatar kind={kind} name={name} />}
      {href ? (
        <a class="link cut" dir="auto" href={href}>
          {name ?? '…'}
        </a>
      ) : (
        <span class="cut" dir="auto">
          {name ?? '…'}
        </span>
      )}
    </>
  )
}

export function ShowAddress({ value }: Shown<Address>) {
  return (
    <span class="cut" dir="auto">
      {addressText(value)}
    </span>
  )
}

/** In one line, as it is written on the continent. */
export function addressText({ line1, line2, postal_code, city, region, country }: Address): string {
  const place = [postal_code, city].filter(Boolean).join(' ')
  const land = country ? format.value.countryName(country) : ''
  return [line1, line2, place, region, land].filter(Boolean).join(', ')
}
