import { useState } from 'preact/hooks'
import { Avatar } from '../../components/avatar.tsx'
import { Button } from '../../components/button.tsx'
import { type Choice, MultiCombobox } from '../../components/combobox.tsx'
import { Icon } from '../../components/icon.tsx'
import { MenuButton } from '../../components/menu.tsx'
import { pathWith } from '../../data/api.ts'
import { client } from '../../data/current.ts'
import { myMailboxes } from '../../data/mailboxes.ts'
import type { Contact, Message } from '../../data/types.ts'
import { format } from '../../lib/locale.ts'
import { useAsk } from '../../shell/pages/ask.ts'
import { texts } from './texts.ts'

type Person = Message['to'][number]
const FIELDS = ['to', 'cc', 'bcc'] as const
type Field = (typeof FIELDS)[number]
export type People = Record<Field, readonly Person[]>

type Answer = {
  from: Person | null
  to: Person[]
  cc: Person[]
  others: Person[]
  reason: 'no_mailbox' | 'no_email' | null
}

/** Whom a reply goes to: everybody of the last message of a person, unless its writer has chosen others. */
export function useRecipients(
  conversation: string,
  chosen: unknown,
): { people: People | undefined; from: string; others: readonly Person[]; why: Answer['reason'] } {
  const asked = useAsk<Answer>(`/app/inbox/${conversation}/recipients`, ['messages', 'conversations']).value
  const own = chosen as People | undefined
  const people = own ?? (asked && { to: asked.to, cc: asked.cc, bcc: [] })
  return { people, from: asked?.from?.email ?? '', others: asked?.others ?? [], why: asked?.reason ?? null }
}

export const isNobody = ({ to, cc, bcc }: People): boolean => to.length + cc.length + bcc.length === 0

type RecipientsProps = {
  people: People
  from: string
  isOpenAtFirst?: boolean
  /** Another address of ours was chosen. */
  onFrom?: (email: string) => void
  /** Who has written in the conversation, and is offered first. */
  others?: readonly Person[]
  onChange: (people: People) => void
}

/** The names in one line; each can be changed. What leaves goes to these, one by one. */
export function Recipients({ people, from, others = [], isOpenAtFirst = false, onFrom, onChange }: RecipientsProps) {
  const [isOpen, setOpen] = useState(isOpenAtFirst)
  const words = texts()
  const names = (all: readonly Person[]) => format.value.list(all.map(nameOf))
  if (!isOpen)
    return (
      <div class="to-line row small">
        <span class="cut mute grow" dir="auto">
          {[
            isNobody(people) ? words.toNobody : people.to.length > 0 && words.to(names(people.to)),
            people.cc.length > 0 && words.cc(names(people.cc)),
            people.bcc.length > 0 && words.bcc(names(people.bcc)),
            from && words.from(from),
          ]
            .filter(Boolean)
            .join(', ')}
        </span>
        <Button plain aria-expanded={false} onClick={() => setOpen(true)}>
          {words.changeRecipients}
        </Button>
      </div>
    )
  return (
    <div class="to-lines">
      {onFrom && <FromLine from={from} onPick={onFrom} />}
      {FIELDS.map((field) => (
        <div key={field} class="row">
          <span class="small mute">{words.fields[field]}</span>
          <div class="input grow">
            <MultiCombobox
              label={words.fields[field]}
              value={people[field].map(asChoice)}
              search={async (typed, signal) => {
                const own = others.filter(({ email, name }) =>
                  `${email} ${name}`.toLowerCase().includes(typed.trim().toLowerCase()),
                )
                const found = await search(typed, signal)
                return [...own.map(asChoice), ...found.filter(({ value }) => !own.some(({ email }) => email === value))]
              }}
              create={async (typed) => typedChoice(typed)}
              // Whoever goes on after an address has addressed it.
              onLeft={typedChoice}
              onChange={(chosen) => onChange({ ...people, [field]: chosen.map(asPerson) })}
            />
          </div>
        </div>
      ))}
    </div>
  )
}

/** The addresses that I may send from: of all mailboxes that are nobody's own, and of mine. */
export const senders = (): { email: string; isDefault: boolean }[] =>
  myMailboxes().flatMap(({ address, aliases, is_default }) => [
    { email: address, isDefault: is_default },
    ...aliases.map((email) => ({ email, isDefault: false })),
  ])

function FromLine({ from, onPick }: { from: string; onPick: (email: string) => void }) {
  const all = senders()
  const words = texts()
  if (all.length < 2) return null
  return (
    <div class="row">
      <span class="small mute">{words.fromLabel}</span>
      <MenuButton
        plain
        menuLabel={words.fromLabel}
        aria-label={words.from(from)}
        groups={() => [
          { items: all.map(({ email }) => ({ label: email, checked: email === from, onPick: () => onPick(email) })) },
        ]}
      >
        <span class="cut">{from}</span>
        <Icon name="down" small />
      </MenuButton>
    </div>
  )
}

const nameOf = ({ name, email }: Person): string => name || email
const isEmail = (text: string): boolean => /^[^\s@]+@[^\s@]+$/.test(text.trim())

/** An address that was typed whole. */
const typedChoice = (typed: string): Choice | null =>
  isEmail(typed) ? asChoice({ email: typed.trim(), name: null }) : null

const asChoice = (person: Person): Choice => ({
  value: person.email,
  label: nameOf(person),
  note: person.name ? person.email : undefined,
  mark: <Avatar kind="contact" name={nameOf(person)} size={16} />,
})
const asPerson = ({ value, label }: Choice): Person => ({ email: value, name: label === value ? null : label })

/** Contacts with an address; who has several is offered with each. */
async function search(typed: string, signal: AbortSignal): Promise<Choice[]> {
  const query = { limit: 10, q: typed.trim() === '' ? undefined : typed.trim().slice(0, 255) }
  const { data } = await client().api.get<{ data: Contact[] }>(pathWith('/api/v1/contacts', query))
  if (signal.aborted) return []
  return data.flatMap(({ name, emails }) =>
    emails.map(({ email }) => asChoice({ email, name: name === email ? null : name })),
  )
}
