import { useState } from 'preact/hooks'
import { Button, IconButton } from '../components/button.tsx'
import { confirmFinal } from '../components/confirm.tsx'
import { Dialog } from '../components/dialog.tsx'
import { sayWhy } from '../components/say-why.ts'
import { showToast } from '../components/toast.tsx'
import { useBegun } from '../components/typed/begun.tsx'
import { TooLong, tooLong } from '../components/typed/too-long.tsx'
import { page } from '../data/boot.ts'
import { create, patch, record, remove } from '../data/records.ts'
import type { Tag } from '../data/types.ts'
import { sources } from '../shell/sources.ts'
import { texts } from './texts.ts'

/** Colours that stay apart from each other, as squares beside ink. */
const COLOURS = {
  green: '#2f7d5b',
  rust: '#b4532a',
  gold: '#a8851f',
  blue: '#5b6bb5',
  grey: '#8a8378',
  violet: '#7a5aa8',
  red: '#b0334a',
  teal: '#1f7f86',
}
const NAMES = Object.keys(COLOURS) as (keyof typeof COLOURS)[]

/** Keeps the tags that are offered everywhere. */
function noteTag(tag: Tag | null, id: string): void {
  const now = page.peek()
  if (!now?.signed_in) return
  const others = now.tags.filter((each) => each.id !== id)
  page.value = {
    ...now,
    tags: tag ? [...others, tag].sort((one, other) => one.name.localeCompare(other.name)) : others,
  }
}

/** Makes, recolours, renames and deletes tags. */
export function TagsManager({ onClose }: { onClose: () => void }) {
  const words = texts().tags
  const begun = useBegun('tags', { name: '' })
  const { name } = begun.values
  const failed = (error: unknown) => showToast({ kind: 'error', text: sayWhy(error) })
  const add = async (event: Event) => {
    event.preventDefault()
    if (name.trim() === '' || tooLong(name.trim())) return
    try {
      const tags = sources.tags()
      const tag = await create('tags', {
        name: name.trim(),
        color: COLOURS[NAMES[tags.length % NAMES.length] ?? 'grey'],
      })
      noteTag(tag, tag.id)
      begun.clear()
    } catch (error) {
      failed(error)
    }
  }
  return (
    <Dialog title={words.title} onClose={onClose} footer={<Button onClick={onClose}>{words.close}</Button>}>
      <form class="row tag-add" onSubmit={(event) => void add(event)}>
        <input
          class="input grow"
          aria-label={words.add}
          placeholder={words.add}
          value={name}
          onInput={(event) => begun.set({ name: event.currentTarget.value })}
        />
        <Button type="submit" icon="plus">
          {words.add}
        </Button>
      </form>
      <TooLong text={name.trim()} />
      <ul class="tag-rows">
        {sources.tags().map((tag) => (
          <TagRow key={tag.id} id={tag.id} name={tag.name} color={tag.color} onFailed={failed} />
        ))}
      </ul>
      {sources.tags().length === 0 && <p class="mute">{words.none}</p>}
    </Dialog>
  )
}

type TagRowProps = { id: string; name: string; color: string | null; onFailed: (error: unknown) => void }

function TagRow({ id, name, color, onFailed }: TagRowProps) {
  const words = texts().tags
  const [typed, setTyped] = useState(name)
  const change = async (fields: { name?: string; color?: string }) => {
    try {
      await patch('tags', id, fields)
      const now = record('tags', id).peek()
      const before = page.peek()
      const known = before?.signed_in ? before.tags.find((tag) => tag.id === id) : undefined
      if (known) noteTag({ ...known, ...fields, ...(now ?? {}) } as Tag, id)
    } catch (error) {
      onFailed(error)
    }
  }
  const removeIt = async () => {
    const question = { title: words.removeTitle(name), text: words.removeBody, keep: words.keep, verb: words.remove }
    if (!(await confirmFinal(question))) return
    try {
      await remove('tags', id)
      noteTag(null, id)
      showToast({ text: words.removed(name), icon: 'trash' })
    } catch (error) {
      onFailed(error)
    }
  }
  const isOwn = !NAMES.some((each) => COLOURS[each] === color)
  return (
    <li class="row">
      <select
        class="tag-colour"
        style={{ '--c': color ?? 'var(--field)' }}
        aria-label={`${words.colour}: ${name}`}
        value={color ?? ''}
        onChange={(event) => void change({ color: event.currentTarget.value })}
      >
        {isOwn && <option value={color ?? ''}>—</option>}
        {NAMES.map((each) => (
          <option key={each} value={COLOURS[each]}>
            {words.colours[each]}
          </option>
        ))}
      </select>
      <input
        class="input grow"
        aria-label={`${words.name}: ${name}`}
        defaultValue={name}
        aria-invalid={tooLong(typed.trim()) !== undefined || undefined}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={(event) => event.key === 'Enter' && event.currentTarget.blur()}
        onBlur={(event) => {
          const next = event.currentTarget.value.trim()
          // What is too long stays, with the reason.
          if (tooLong(next)) return
          if (next !== '' && next !== name) void change({ name: next })
          else event.currentTarget.value = name
          setTyped(event.currentTarget.value)
        }}
      />
      <IconButton plain danger icon="trash" title={`${words.remove}: ${name}`} onClick={() => void removeIt()} />
      <TooLong text={typed.trim()} />
    </li>
  )
}
