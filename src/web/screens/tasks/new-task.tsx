import type { RefObject } from 'preact'
import { useEffect } from 'preact/hooks'
import { Icon } from '../../components/icon.tsx'
import { Kbd } from '../../components/kbd.tsx'
import { sayWhy } from '../../components/say-why.ts'
import { showToast } from '../../components/toast.tsx'
import { useBegun } from '../../components/typed/begun.tsx'
import { TooLong, tooLong } from '../../components/typed/too-long.tsx'
import { me } from '../../data/boot.ts'
import { create } from '../../data/records.ts'
import { dayLocale, format, locale } from '../../lib/locale.ts'
import { now } from '../../lib/now.ts'
import { query, setQuery } from '../../lib/router.ts'
import { readLine } from './quick-add.ts'
import type { Who } from './task-rows.ts'
import { texts } from './texts.ts'

/** One line that makes a task: its first and last words may name the kind, the day and the time. */
export function NewTask({ who, input }: { who: Who; input: RefObject<HTMLInputElement | null> }) {
  const { values, set, clear, form } = useBegun('tasks', { text: '' })
  const { text } = values
  const setText = (text: string) => set({ text })
  const begun = query.value.get('new')
  useEffect(() => {
    if (begun === null) return
    if (begun !== '') setText([form.values.peek()?.text, begun].filter(Boolean).join(' '))
    input.current?.focus()
    void setQuery({ new: null }, { replace: true })
  }, [begun])
  const { timezone } = locale.value
  const words = format.value
  const reading = readLine(text, now.value, timezone, dayLocale(words.tag))

  const add = async () => {
    if (reading.title === '' || tooLong(reading.title)) return
    const typed = text
    clear()
    try {
      await create('tasks', {
        title: reading.title,
        type: reading.type,
        owner_id: who === 'nobody' ? null : who === 'mine' || who === 'team' ? me.peek().id : who,
        due_at: reading.dueAt === null ? null : new Date(reading.dueAt).toISOString(),
      })
    } catch (error) {
      // What was typed comes back, unless the next one has been begun.
      if (!form.values.peek()) setText(typed)
      showToast({ text: sayWhy(error), kind: 'error' })
    }
  }
  return (
    <form
      class="new row strip"
      onSubmit={(event) => {
        event.preventDefault()
        void add()
      }}
    >
      <Icon name="plus" class="acc" />
      <input
        ref={input}
        class="bare grow"
        dir="auto"
        type="text"
        aria-label={texts().add}
        placeholder={texts().example}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') event.currentTarget.blur()
        }}
      />
      <TooLong text={reading.title} />
      {text !== '' && (
        <span class="hint row">
          {reading.type !== 'todo' && <span>{texts().types[reading.type]}</span>}
          {reading.dueAt !== null && (
            <span>{reading.hasTime ? words.when(reading.dueAt, now.value) : words.day(reading.dueAt, now.value)}</span>
          )}
          {reading.isOpen && <span class="open">{texts().noDay}</span>}
        </span>
      )}
      {text !== '' && <Kbd keys="Enter" />}
    </form>
  )
}
