import { Avatar } from '../components/avatar.tsx'
import { usePhoneParts } from '../components/fields/phone-links.tsx'
import { Icon } from '../components/icon.tsx'
import type { PageKind } from '../components/kinds.ts'
import { Money } from '../components/money.tsx'
import { Pips } from '../components/pips.tsx'
import { sayFailed } from '../components/say-failed.ts'
import { boot } from '../data/boot.ts'
import { mayWrite } from '../data/may.ts'
import { patch, type Rec, record } from '../data/records.ts'
import type { Company, Contact, Deal } from '../data/types.ts'
import { sources } from '../shell/sources.ts'
import { Adding } from './adding.tsx'
import { askForDeal } from './ask-for-deal.ts'
import { Enrollments } from './enrollments.tsx'
import { InLists } from './in-lists.tsx'
import { RelatedTasks } from './related-tasks.tsx'
import { Section } from './section.tsx'
import { texts } from './texts.ts'
import { stillIn, useList } from './use-list.ts'
import './related.css'

type RelatedProps = { kind: PageKind; record: Rec }

/** What hangs on a record, each with what adds to it. */
export function Related(props: RelatedProps) {
  return (
    <div class="related">
      <People {...props} />
      {props.kind !== 'deals' && <Deals {...props} />}
      <RelatedTasks {...props} />
      {props.kind !== 'companies' && <Enrollments {...props} />}
      <InLists {...props} />
    </div>
  )
}

/** The people of a deal and a company, and the firm of a contact and a deal. */
export function People({ kind, record: now }: RelatedProps) {
  const company = kind === 'companies' ? now.id : ((now.company_id as string | null) ?? null)
  return (
    <>
      {kind !== 'contacts' && <PeopleOf kind={kind} record={now} company={company} />}
      {kind !== 'companies' && <Firm kind={kind} record={now} company={company} />}
    </>
  )
}

function PeopleOf({ kind, record: now, company }: RelatedProps & { company: string | null }) {
  const asked = company ? { company_id: company } : null
  const found = useList('contacts', asked)
  const main = kind === 'deals' ? (now as unknown as Deal).primary_contact_id : null
  const others = (asked && found ? stillIn('contacts', found.ids.value, asked) : []).filter((id) => id !== main)
  const ids = main ? [main, ...others] : others
  const total = Math.max(found?.total.value ?? 0, ids.length)

  const add = (id: string) => {
    const done =
      kind === 'deals'
        ? patch('deals', now.id, { primary_contact_id: id })
        : patch('contacts', id, { company_id: now.id })
    done.catch((error) => sayFailed(texts().notAdded, error))
  }
  const make = async (name: string) => {
    const made = await sources.create?.('contact', name)
    if (made && company) await patch('contacts', made.value, { company_id: company })
    return made ?? null
  }
  return (
    <Section
      title={texts().people}
      count={total > 0 ? String(total) : undefined}
      add={
        mayWrite(kind === 'deals' ? 'deals' : 'contacts') && (
          <Adding
            label={texts().addPerson}
            search={sources.search('contact')}
            create={make}
            chosen={ids}
            onPick={add}
          />
        )
      }
    >
      {ids.slice(0, 8).map((id) => (
        <Person key={id} id={id} isMain={id === main} />
      ))}
      {total > 8 && <p class="small mute">{texts().andMore(total - 8)}</p>}
      {ids.length === 0 && <p class="small mute none">{texts().noPeople}</p>}
    </Section>
  )
}

function Person({ id, isMain }: { id: string; isMain: boolean }) {
  const person = record('contacts', id).value as Contact | null | undefined
  // A name alone comes sooner than the whole record.
  const name = person === undefined ? sources.nameOf('contact', id) : person?.name
  if (person === null) return null
  const email = person?.emails?.find(({ is_primary }) => is_primary)?.email ?? person?.emails?.[0]?.email
  const number = person?.phones?.find(({ is_primary }) => is_primary)?.number ?? person?.phones?.[0]?.number
  return (
    <div class="p row">
      <Avatar kind="contact" name={name} size={24} />
      <div class="grow">
        <a class={isMain ? 'cut mid' : 'cut'} dir="auto" href={`/contacts/${id}`}>
          {name ?? '…'}
        </a>
        <div class="sub cut" dir="auto">
          {[isMain && texts().mainContact, person?.job_title].filter(Boolean).join(' · ')}
        </div>
      </div>
      {email && <IconLink href={`mailto:${email}`} icon="mail" title={texts().mailTo(email)} />}
      {number && <CallLinks number={number} />}
    </div>
  )
}

/** One for each number that is written there; none for what cannot be dialled. */
function CallLinks({ number }: { number: string }) {
  return usePhoneParts(number).map(
    ({ text, href }) => href && <IconLink key={href} href={href} icon="phone" title={texts().call(text)} />,
  )
}

function IconLink({ href, icon, title }: { href: string; icon: 'mail' | 'phone'; title: string }) {
  return (
    <a class="btn plain icon" href={href} title={title} aria-label={title}>
      <Icon name={icon} />
    </a>
  )
}

function Firm({ kind, record: now, company }: RelatedProps & { company: string | null }) {
  const firm = (company ? record('companies', company).value : null) as Company | null | undefined
  const open = useList('deals', company ? { company_id: company, status: 'open' } : null)
  const name = company ? (firm?.name ?? sources.nameOf('company', company)) : undefined
  const add = (id: string) => {
    patch(kind, now.id, { company_id: id }).catch((error) => sayFailed(texts().notAdded, error))
  }
  return (
    <Section
      title={texts().company}
      add={
        company === null &&
        mayWrite(kind) && (
          <Adding
            label={texts().addCompany}
            search={sources.search('company')}
            create={(typed) => sources.create?.('company', typed) ?? Promise.resolve(null)}
            chosen={[]}
            onPick={add}
          />
        )
      }
    >
      {company === null ? (
        <p class="small mute none">{texts().noCompany}</p>
      ) : (
        <div class="p row">
          <Avatar kind="company" name={name} size={24} />
          <div class="grow">
            <a class="cut mid" dir="auto" href={`/companies/${company}`}>
              {name ?? '…'}
            </a>
            <div class="sub">{texts().openDeals(open?.total.value ?? 0)}</div>
          </div>
        </div>
      )}
    </Section>
  )
}

type DealsProps = RelatedProps & {
  /** Called with one that was linked here or made here. */
  onAdded?: (deal: string) => void
}

/** The deals of a contact or a company, each with where it is on its way. */
export function Deals({ kind, record: now, onAdded }: DealsProps) {
  const link = kind === 'contacts' ? { primary_contact_id: now.id } : { company_id: now.id }
  const found = useList('deals', { ...link, sort: '-updated_at' })
  const ids = found ? stillIn('deals', found.ids.value, link) : []
  const add = (id: string) => {
    patch('deals', id, link).then(
      () => onAdded?.(id),
      (error) => sayFailed(texts().notAdded, error),
    )
  }
  const make = async (title: string) => {
    if (kind !== 'deals') await askForDeal({ kind, record: now, title, onMade: onAdded })
    return null
  }
  return (
    <Section
      title={texts().deals}
      count={found?.total.value ? String(found.total.value) : undefined}
      add={
        mayWrite('deals') && (
          <Adding label={texts().addDeal} search={sources.search('deal')} create={make} chosen={ids} onPick={add} />
        )
      }
    >
      {ids.slice(0, 8).map((id) => (
        <DealRow key={id} id={id} />
      ))}
      {ids.length > 8 && <p class="small mute">{texts().andMore((found?.total.value ?? ids.length) - 8)}</p>}
      {ids.length === 0 && <p class="small mute none">{texts().noDeals}</p>}
    </Section>
  )
}

function DealRow({ id }: { id: string }) {
  const deal = record('deals', id).value as Deal | null | undefined
  if (!deal) return null
  const { stages } = boot.value
  const stage = stages.find((each) => each.id === deal.stage)
  const open = stages.filter((each) => each.is_open && each.pipeline_id === stage?.pipeline_id)
  const at = open.findIndex((each) => each.id === deal.stage) + 1
  return (
    <div class="p row">
      <div class="grow">
        <a class="cut mid" dir="auto" href={`/deals/${id}`}>
          {deal.title}
        </a>
        <div class="sub row">
          <Pips of={open.length} at={at} outcome={deal.status === 'open' ? null : deal.status} />
          <span class="cut" dir="auto">
            {stage?.name}
          </span>
        </div>
      </div>
      <Money amount={deal.amount} currency={deal.currency} />
    </div>
  )
}
