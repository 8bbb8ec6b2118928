import { useEffect, useMemo, useState } from 'preact/hooks'
import { Avatar } from '../../components/avatar.tsx'
import { IconButton } from '../../components/button.tsx'
import { SourcesContext } from '../../components/fields/sources.ts'
import { propertiesOf } from '../../components/properties/properties.ts'
import { sayFailed } from '../../components/say-failed.ts'
import { mayWrite } from '../../data/may.ts'
import { list, type Query } from '../../data/pages.ts'
import { load, patch, record as recordOf } from '../../data/records.ts'
import type { Contact, Conversation, Meeting, Rec } from '../../data/types.ts'
import { whole } from '../../lib/base.ts'
import { format } from '../../lib/locale.ts'
import { now } from '../../lib/now.ts'
import { timeIn } from '../../lib/zoned.ts'
import { TaskTab } from '../../record/composer.tsx'
import { PropertyRow } from '../../record/property-row.tsx'
import { Deals } from '../../record/related.tsx'
import { RelatedTasks } from '../../record/related-tasks.tsx'
import { Section } from '../../record/section.tsx'
import { followTasks } from '../../record/tasks-data.ts'
import { sources } from '../../shell/sources.ts'
import { hrefOf } from './address.ts'
import { CompanyOffer } from './company-offer.tsx'
import { nameOfContact } from './row.tsx'
import { texts } from './texts.ts'

/** What of a contact is read, and changed, while answering. */
const SHOWN = ['company_id', 'emails', 'phones', 'owner_id', 'tag_ids']

type BesideProps = { record: Conversation; isOpen: boolean; onClose: () => void }

/** Who writes, and what else there is with them. */
export function Beside({ record, isOpen, onClose }: BesideProps) {
  const { contact_id, id } = record
  return (
    <SourcesContext.Provider value={sources}>
      <aside
        class={isOpen ? 'ib record peek is-open' : 'ib record peek'}
        aria-label={texts().contact}
        data-scroll="beside"
        data-kind="contacts"
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || event.defaultPrevented) return
          onClose()
        }}
      >
        <IconButton plain icon="x" class="to-thread" title={texts().closeContact} onClick={onClose} />
        {contact_id === null ? (
          <p class="mute small none">{texts().nobodyKnown}</p>
        ) : (
          <Contacted key={contact_id} contact={contact_id} record={record} />
        )}
        <Earlier contact={contact_id} own={id} />
      </aside>
    </SourcesContext.Provider>
  )
}

function Contacted({ contact, record }: { contact: string; record: Conversation }) {
  useEffect(() => void load('contacts', contact).catch(() => undefined), [contact])
  useEffect(() => followTasks('contacts', contact), [contact])
  const found = recordOf('contacts', contact).value as Contact | null | undefined
  if (!found) return null
  const linked = (deal: string) => {
    if (recordOf('conversations', record.id).peek()?.deal_id) return
    patch('conversations', record.id, { deal_id: deal }).catch((error) => sayFailed(texts().failed, error))
  }
  return (
    <>
      <Who contact={found} />
      <Deals kind="contacts" record={found as unknown as Rec} onAdded={linked} />
      <Tasks contact={found} record={record} />
      <Meetings contact={contact} />
    </>
  )
}

function Who({ contact }: { contact: Contact }) {
  const shown = useMemo(() => propertiesOf('contacts').filter(({ field }) => SHOWN.includes(field.key)), [])
  const { id, job_title, timezone } = contact
  const name = nameOfContact(id)
  return (
    <section class="part">
      <div class="row who">
        <Avatar kind="contact" name={name} size={40} />
        <div class="grow">
          <a class="mid cut" dir="auto" href={`/contacts/${id}`}>
            {name}
          </a>
          <div class="small mute cut" dir="auto">
            {job_title ?? ''}
          </div>
        </div>
      </div>
      <dl class="props">
        {shown.map((property) => (
          <PropertyRow
            key={property.field.key}
            kind="contacts"
            record={contact as unknown as Rec}
            property={property}
          />
        ))}
        {timezone && (
          <div>
            <dt>{texts().localTime}</dt>
            <dd class="fixed cut">
              {timeIn(now.value, timezone)}, {cityOf(timezone)}
            </dd>
          </div>
        )}
      </dl>
      {contact.company_id === null && mayWrite('contacts') && <CompanyOffer contact={contact} />}
    </section>
  )
}

/** "Berlin" of "Europe/Berlin". */
const cityOf = (timezone: string): string => (timezone.split('/').at(-1) ?? '').replaceAll('_', ' ')

/** A task from a conversation begins with its subject, and leads back to it. */
function Tasks({ contact, record }: { contact: Contact; record: Conversation }) {
  const [isAdding, setAdding] = useState(false)
  const { id, subject, number } = record
  const about = {
    draft: `task:conversations:${id}`,
    title: subject || `#${number}`,
    body: whole(hrefOf('open', id)),
  }
  return (
    <RelatedTasks kind="contacts" record={contact as unknown as Rec} onAdd={() => setAdding(!isAdding)}>
      {isAdding && (
        <div class="boxed about-this">
          <TaskTab kind="contacts" id={contact.id} about={about} onAdded={() => setAdding(false)} />
        </div>
      )}
    </RelatedTasks>
  )
}

/** A list of the server as long as it is shown. */
function useShort(kind: 'meetings' | 'conversations', query: Query) {
  const made = useMemo(() => list(kind, query), [JSON.stringify(query)])
  useEffect(() => {
    void made.more()
    return made.dispose
  }, [made])
  return made
}

function Meetings({ contact }: { contact: string }) {
  const found = useShort('meetings', { contact_id: contact, sort: '-starts_at' })
  const ids = found.ids.value.slice(0, 3)
  if (ids.length === 0) return null
  return (
    <Section title={texts().meetings} count={format.value.number(found.total.value ?? ids.length)}>
      {ids.map((id) => {
        const meeting = recordOf('meetings', id).value as Meeting | null | undefined
        return (
          meeting && (
            <a key={id} class="row line" href={`/meetings/${id}`}>
              <span class="cut grow" dir="auto">
                {meeting.title}
              </span>
              <span class="small mute">{format.value.when(meeting.starts_at, now.value)}</span>
            </a>
          )
        )
      })}
    </Section>
  )
}

function Earlier({ contact, own }: { contact: string | null; own: string }) {
  const found = useShort('conversations', { contact_id: contact, sort: '-last_message_at' })
  const ids = found.ids.value.filter((id) => id !== own)
  if (contact === null || ids.length === 0) return null
  const count = Math.max(ids.length, (found.total.value ?? 1) - 1)
  return (
    <Section title={texts().earlierOnes} count={format.value.number(count)}>
      {ids.slice(0, 8).map((id) => (
        <EarlierLine key={id} id={id} />
      ))}
    </Section>
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
