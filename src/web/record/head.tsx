import { Avatar } from '../components/avatar.tsx'
import { Icon } from '../components/icon.tsx'
import type { PageKind } from '../components/kinds.ts'
import { Money } from '../components/money.tsx'
import { texts as propertyTexts } from '../components/properties/texts.ts'
import { State } from '../components/state.tsx'
import { boot } from '../data/boot.ts'
import { nameOf } from '../data/names.ts'
import type { Company, Contact, Deal, Rec } from '../data/types.ts'
import { format } from '../lib/locale.ts'
import { now } from '../lib/now.ts'
import { isPhone } from '../lib/widths.ts'
import { Stepper } from './stepper.tsx'
import { lateTask } from './tasks-data.ts'
import { texts } from './texts.ts'
import { Title, titleOf } from './title.tsx'

/** The head of a record: its name, what matters most about it, and for a deal where it is on its way. */
export function Head({ kind, record, isPeek = false }: { kind: PageKind; record: Rec; isPeek?: boolean }) {
  const late = lateTask(kind, record.id)
  const deal = kind === 'deals' ? (record as unknown as Deal) : undefined
  const amount = deal && (
    <span class="amt">
      {deal.amount === null ? (
        <span class="none">{texts().noAmount}</span>
      ) : (
        <Money amount={deal.amount} currency={deal.currency} />
      )}
    </span>
  )
  const sign = late && (
    <span class="is-late late mid end">
      <Icon name="alert" small />
      <span class="cut" dir="auto">
        {texts().lateTask(late.title, format.value.late(now.value - Date.parse(late.due_at ?? '')))}
      </span>
    </span>
  )
  return (
    <div class="head strip">
      <div class="t">
        {kind !== 'deals' && (
          <Avatar kind={kind === 'contacts' ? 'contact' : 'company'} name={titleOf(kind, record)} size={40} />
        )}
        <div class="grow">
          <Title kind={kind} record={record} isPeek={isPeek} />
        </div>
        {!isPhone.value && amount}
      </div>
      <div class="meta row">
        <Meta kind={kind} record={record} />
        {!isPhone.value && sign}
      </div>
      {isPhone.value && (amount || sign) && (
        <div class="sums">
          {amount}
          {sign}
        </div>
      )}
      {deal && <Stepper deal={deal} />}
    </div>
  )
}

function Meta({ kind, record }: { kind: PageKind; record: Rec }) {
  if (kind === 'deals') {
    const { company_id, owner_id, expected_close_date } = record as unknown as Deal
    return (
      <>
        <CompanyLink id={company_id} />
        <Owner id={owner_id} />
        {expected_close_date && (
          <span>
            <Icon name="cal" small class="mute" />
            {texts().expected(format.value.day(expected_close_date, now.value))}
          </span>
        )}
      </>
    )
  }
  if (kind === 'contacts') {
    const { job_title, company_id, owner_id, do_not_contact, unsubscribed_at } = record as unknown as Contact
    return (
      <>
        {job_title && <span>{job_title}</span>}
        <CompanyLink id={company_id} />
        <Owner id={owner_id} />
        {do_not_contact && <State is="late">{propertyTexts().do_not_contact}</State>}
        {unsubscribed_at && <State is="warn">{texts().unsubscribed}</State>}
      </>
    )
  }
  const { industry, domains, owner_id, employee_count } = record as unknown as Company
  return (
    <>
      {domains[0] && (
        <span>
          <Icon name="globe" small class="mute" />
          {domains[0]}
        </span>
      )}
      {industry && <span>{industry}</span>}
      {employee_count !== null && <span>{texts().employees(employee_count)}</span>}
      <Owner id={owner_id} />
    </>
  )
}

function CompanyLink({ id }: { id: string | null }) {
  if (id === null) return null
  const name = nameOf('companies', id)
  return (
    <span class="cut" dir="auto">
      <Avatar kind="company" name={name} size={16} />
      <a class="cut" dir="auto" href={`/companies/${id}`}>
        {name ?? '…'}
      </a>
    </span>
  )
}

function Owner({ id }: { id: string | null }) {
  if (id === null) return null
  const name = boot.value.members.find((each) => each.id === id)?.name
  return (
    <span>
      <Avatar kind="member" id={id} name={name} size={16} />
      {name}
    </span>
  )
}
