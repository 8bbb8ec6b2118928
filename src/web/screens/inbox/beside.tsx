import { useEffect, useMemo } from 'preact/hooks'
import { Avatar } from '../../components/avatar.tsx'
import { Icon } from '../../components/icon.tsx'
import { Money } from '../../components/money.tsx'
import { nameOf } from '../../data/names.ts'
import { list, type Query } from '../../data/pages.ts'
import { load, record as recordOf } from '../../data/records.ts'
import type { Contact, Conversation, Deal } from '../../data/types.ts'
import { format } from '../../lib/locale.ts'
import { now } from '../../lib/now.ts'
import { hrefOf } from './address.ts'
import { nameOfContact } from './row.tsx'
import { texts } from './texts.ts'

/** Who writes, and what else there is with them. */
export function Beside({ record }: { record: Conversation }) {
  const { contact_id, company_id, id } = record
  return (
    <aside class="ib" aria-label={texts().contact} data-scroll="beside">
      {contact_id === null ? <p class="mute small none">{texts().nobodyKnown}</p> : <Who id={contact_id} />}
      {contact_id !== null && <Deals contact={contact_id} />}
      {(contact_id ?? company_id) !== null && <Earlier contact={contact_id} own={id} />}
    </aside>
  )
}

function Who({ id }: { id: string }) {
  useEffect(() => void load('contacts', id).catch(() => undefined), [id])
  const found = recordOf('contacts', id).value as Contact | null | undefined
  const name = nameOfContact(id)
  const company = found?.company_id ? nameOf('companies', found.company_id) : undefined
  const words = texts()
  return (
    <section>
      <div class="row who">
        <Avatar kind="contact" name={name} size={40} />
        <div class="grow">
          <a class="mid cut" dir="auto" href={`/contacts/${id}`}>
            {name}
          </a>
          <div class="small mute cut" dir="auto">
            {found?.job_title ?? ''}
          </div>
        </div>
      </div>
      <dl>
        {found?.company_id && (
          <div>
            <dt>{words.company}</dt>
            <dd>
              <a class="cut" dir="auto" href={`/companies/${found.company_id}`}>
                {company ?? '…'}
              </a>
            </dd>
          </div>
        )}
        {found?.emails?.map(({ email }) => (
          <div key={email}>
            <dt>{words.email}</dt>
            <dd class="cut">{email}</dd>
          </div>
        ))}
        {found?.phones?.map(({ number }) => (
          <div key={number}>
            <dt>{words.phone}</dt>
            <dd class="cut">{number}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

/** A list of the server as long as it is shown. */
function useShort(kind: 'deals' | 'conversations', query: Query) {
  const made = useMemo(() => list(kind, query), [JSON.stringify(query)])
  useEffect(() => {
    void made.more()
    return made.dispose
  }, [made])
  return made
}

function Deals({ contact }: { contact: string }) {
  const found = useShort('deals', { primary_contact_id: contact, status: 'open' })
  const ids = found.ids.value
  if (ids.length === 0) return null
  return (
    <section>
      <h3>
        {texts().deals} <span class="mute">{texts().openDeals(found.total.value ?? ids.length)}</span>
      </h3>
      {ids.slice(0, 6).map((id) => (
        <DealLine key={id} id={id} />
      ))}
    </section>
  )
}

function DealLine({ id }: { id: string }) {
  const deal = recordOf('deals', id).value as Deal | null | undefined
  if (!deal) return null
  return (
    <a class="row line" href={`/deals/${id}`}>
      <Icon name="deal" small />
      <span class="cut grow" dir="auto">
        {deal.title}
      </span>
      {deal.amount !== null && <Money amount={deal.amount} currency={deal.currency ?? ''} />}
    </a>
  )
}

function Earlier({ contact, own }: { contact: string | null; own: string }) {
  const found = useShort('conversations', { contact_id: contact, sort: '-last_message_at' })
  const ids = found.ids.value.filter((id) => id !== own)
  if (contact === null || ids.length === 0) return null
  return (
    <section>
      <h3>
        {texts().earlierOnes} <span class="mute">{Math.max(ids.length, (found.total.value ?? 1) - 1)}</span>
      </h3>
      {ids.slice(0, 8).map((id) => (
        <EarlierLine key={id} id={id} />
      ))}
    </section>
  )
}

function EarlierLine({ id }: { id: string }) {
  const found = recordOf('conversations', id).value as Conversation | null | undefined
  if (!found) return null
  return (
    <a class="row line" href={hrefOf(found.status === 'closed' ? 'closed' : 'open', id)}>
      <span class="cut grow" dir="auto">
        {found.subject || found.preview || texts().noSubject}
      </span>
      <span class="small mute">{format.value.day(found.last_message_at, now.value)}</span>
    </a>
  )
}
