import type { RefObject } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Chip } from '../../components/chip.tsx'
import { Icon } from '../../components/icon.tsx'
import { boot } from '../../data/boot.ts'
import { nameOf } from '../../data/names.ts'
import { setQuery } from '../../lib/router.ts'
import { ABOUT, STATUSES, state } from './address.ts'
import { texts } from './texts.ts'

const PAUSE_MS = 150

/** Which meetings are shown: all of it stands in the address. */
export function Filters({ input }: { input: RefObject<HTMLInputElement | null> }) {
  const words = texts()
  const { q, who, status, about } = state.value
  const [typed, setTyped] = useState(q)
  useEffect(() => setTyped((before) => (before.trim() === q ? before : q)), [q])
  useEffect(() => {
    if (typed.trim() === q) return
    const timer = setTimeout(() => void setQuery({ q: typed.trim() || null }, { replace: q !== '' }), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typed])
  return (
    <div class="meeting-filters row strip">
      <label class="search grow">
        <Icon name="search" small />
        <input
          ref={input}
          type="search"
          dir="auto"
          aria-label={words.search}
          placeholder={words.searchHint}
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
      </label>
      {about && (
        <Chip removeTitle={words.showAll} onRemove={() => void setQuery({ [about.name]: null })}>
          {nameOf(ABOUT[about.name], about.id) ?? '…'}
        </Chip>
      )}
      <select
        aria-label={words.who}
        value={who}
        onChange={(event) => void setQuery({ who: event.currentTarget.value || null })}
      >
        <option value="">{words.everybody}</option>
        <option value="me">{words.mine}</option>
        {boot.value.members
          .filter((member) => member.status === 'active' || member.id === who)
          .map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
      </select>
      <select
        aria-label={words.status}
        value={status}
        onChange={(event) => void setQuery({ status: event.currentTarget.value || null })}
      >
        <option value="">{words.anyStatus}</option>
        {STATUSES.map((each) => (
          <option key={each} value={each}>
            {words.states[each]}
          </option>
        ))}
      </select>
    </div>
  )
}
