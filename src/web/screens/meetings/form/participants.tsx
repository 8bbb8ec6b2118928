import { useState } from 'preact/hooks'
import { Avatar } from '../../../components/avatar.tsx'
import { IconButton } from '../../../components/button.tsx'
import { type Choice, Combobox } from '../../../components/combobox.tsx'
import { pathWith } from '../../../data/api.ts'
import { boot } from '../../../data/boot.ts'
import { client } from '../../../data/current.ts'
import type { Contact } from '../../../data/types.ts'
import { fold } from '../../../lib/fold.ts'
import { texts } from '../texts.ts'
import { guestOf, type Participant } from './draft.ts'

type ParticipantsProps = { all: readonly Participant[]; onChange: (all: Participant[]) => void }

/** Who takes part: members, contacts and addresses that nobody knows yet. The organizer stays. */
export function Participants({ all, onChange }: ParticipantsProps) {
  const words = texts()
  const [round, setRound] = useState(0)
  const add = (choice: Choice | null) => {
    if (!choice) return
    const [kind, id = ''] = splitAt(choice.value)
    const email = choice.note?.includes('@') ? choice.note : null
    const isThere = all.some(
      (each) =>
        (each.member_id ?? each.contact_id) === id || (email !== null && each.email === email) || each.email === id,
    )
    if (!isThere) {
      const named = { name: choice.label, email }
      if (kind === 'member') onChange([...all, guestOf({ member_id: id, ...named })])
      else if (kind === 'contact') onChange([...all, guestOf({ contact_id: id, ...named })])
      else onChange([...all, guestOf({ email: id })])
    }
    setRound(round + 1)
  }
  return (
    <div class="field">
      <span class="label">{words.participants}</span>
      <ul class="form-people">
        {all.map((each, at) => {
          const name = each.name ?? each.email ?? ''
          return (
            <li key={`${each.member_id ?? each.contact_id ?? each.email}`} class="row">
              <Avatar kind={each.member_id ? 'member' : 'contact'} id={each.member_id ?? undefined} name={name} />
              <span class="cut grow" dir="auto">
                {name} {each.name && each.email && <span class="mute small">{each.email}</span>}
              </span>
              {each.role === 'organizer' ? (
                <span class="small mute">{words.organizer}</span>
              ) : (
                <IconButton
                  plain
                  icon="x"
                  title={words.takeOff(name)}
                  onClick={() => onChange(all.filter((_, index) => index !== at))}
                />
              )}
            </li>
          )
        })}
      </ul>
      <div class="input">
        <Combobox
          key={round}
          label={words.addParticipant}
          placeholder={words.addParticipant}
          value={null}
          autofocus={round > 0}
          search={search}
          create={async (typed) =>
            isEmail(typed) ? { value: `email:${typed.trim()}`, label: typed.trim(), note: typed.trim() } : null
          }
          onPick={add}
        />
      </div>
    </div>
  )
}

const splitAt = (value: string): [string, string] => {
  const at = value.indexOf(':')
  return [value.slice(0, at), value.slice(at + 1)]
}
const isEmail = (text: string): boolean => /^[^\s@]+@[^\s@]+$/.test(text.trim())

/** Members by name, then contacts as the server finds them. */
async function search(typed: string, signal: AbortSignal): Promise<Choice[]> {
  const text = fold(typed.trim())
  const members = boot
    .peek()
    .members.filter(({ status, name, email }) => status === 'active' && fold(`${name} ${email}`).includes(text))
    .slice(0, 8)
    .map(
      ({ id, name, email }): Choice => ({
        value: `member:${id}`,
        label: name,
        note: email,
        mark: <Avatar kind="member" id={id} name={name} size={16} />,
      }),
    )
  const query = { limit: 10, q: text === '' ? undefined : typed.trim().slice(0, 255) }
  const { data } = await client().api.get<{ data: Contact[] }>(pathWith('/api/v1/contacts', query))
  if (signal.aborted) return []
  const contacts = data.map(
    ({ id, name, emails }): Choice => ({
      value: `contact:${id}`,
      label: name,
      note: (emails.find(({ is_primary }) => is_primary) ?? emails[0])?.email,
      mark: <Avatar kind="contact" name={name} size={16} />,
    }),
  )
  return [...members, ...contacts]
}
