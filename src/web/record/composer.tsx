import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { nounOf } from '../../lib/pure/nouns.ts'
import { Button, IconButton } from '../components/button.tsx'
import { Icon } from '../components/icon.tsx'
import type { PageKind } from '../components/kinds.ts'
import { sayFailed } from '../components/say-failed.ts'
import { TooLong, tooLong } from '../components/typed/too-long.tsx'
import { me } from '../data/boot.ts'
import { draft as draftFor } from '../data/drafts.ts'
import { mayWrite } from '../data/may.ts'
import { create } from '../data/records.ts'
import { isMac } from '../lib/keyboard.ts'
import { overText } from '../lib/letters.ts'
import { format } from '../lib/locale.ts'
import { query, setQuery } from '../lib/router.ts'
import { rovingKeys } from '../lib/roving.ts'
import { momentOf } from '../lib/zoned.ts'
import { CallTab } from '../shell/calls/call-tab.tsx'
import { keyLabel } from '../shell/commands/keys.ts'
import { beginMention, NoteEditor } from './note-editor.tsx'
import { type TaskDraft, TaskForm } from './task-form.tsx'
import { texts } from './texts.ts'
import { typedSince } from './typed-since.ts'
import './composer.css'

export type ComposerTab = 'note' | 'task' | 'call'
const TABS = ['note', 'task', 'call'] as const
const KINDS = { note: 'notes', task: 'tasks', call: 'tasks' } as const
type ComposerProps = { kind: PageKind; id: string; isDocked?: boolean }

/** Writes notes and tasks about the record. What is begun is kept on the server until it is sent. */
export function Composer({ kind, id, isDocked = false }: ComposerProps) {
  const [{ tab, begun }, setBegun] = useState<{ tab: ComposerTab; begun: number }>({ tab: 'note', begun: 0 })
  const box = useRef<HTMLDivElement>(null)
  const words = texts().composer
  const isAsked = query.value.get('compose')
  const tabs = TABS.filter((each) => mayWrite(KINDS[each]))
  // Before the page is painted: who sees the composer may already have pressed its key.
  useLayoutEffect(() => {
    const onCompose = (event: Event) => begin((event as CustomEvent<ComposerTab>).detail)
    document.addEventListener('compose', onCompose)
    return () => document.removeEventListener('compose', onCompose)
  }, [])
  useEffect(() => {
    const asked = TABS.find((each) => each === isAsked)
    if (!asked) return
    begin(asked)
    void setQuery({ compose: null }, { replace: true })
  }, [isAsked])

  // With the drawing, not a frame later: words typed at once would act as commands.
  useLayoutEffect(() => {
    if (begun > 0) box.current?.querySelector<HTMLElement>('textarea, input')?.focus()
  }, [begun])

  function begin(tab: ComposerTab): void {
    setBegun(({ begun }) => ({ tab, begun: begun + 1 }))
  }

  if (tabs.length === 0) return null
  const shown = tabs.includes(tab) ? tab : 'note'
  return (
    <div ref={box} class={isDocked ? 'comp boxed is-docked' : 'comp boxed'}>
      <div class="tabs" role="tablist" aria-label={words.label} onKeyDown={rovingKeys('[role=tab]', { also: 'click' })}>
        {tabs.map((each) => (
          <button
            key={each}
            type="button"
            role="tab"
            id={`compose-${each}`}
            aria-selected={each === shown}
            aria-controls="compose"
            tabIndex={each === shown ? 0 : -1}
            // Who clicks goes on to write, and words never act as commands; arrow keys go along the tabs.
            onClick={({ detail }) => (detail > 0 ? begin(each) : setBegun(({ begun }) => ({ tab: each, begun })))}
          >
            <Icon name={each === 'call' ? 'phone' : each} small />
            {words[each]}
          </button>
        ))}
      </div>
      <div id="compose" role="tabpanel" aria-labelledby={`compose-${shown}`}>
        {shown === 'note' && <NoteForm kind={kind} id={id} />}
        {shown === 'task' && <TaskTab kind={kind} id={id} />}
        {shown === 'call' && <CallTab kind={kind} id={id} />}
      </div>
    </div>
  )
}

const linksOf = (kind: PageKind, id: string) => ({ [`${nounOf(kind)}_ids`]: [id] })
const SEND = () => keyLabel('mod+Enter', isMac)

function NoteForm({ kind, id }: { kind: PageKind; id: string }) {
  const kept = draftFor(`note:${kind}:${id}`)
  const box = useRef<HTMLDivElement>(null)
  const [isSending, setSending] = useState(false)
  const text = String(kept.body.value?.text ?? '')
  const words = texts().composer

  async function send(): Promise<void> {
    const body = text.trim()
    if (tooLong(body, overText)) return
    if (body === '') return box.current?.querySelector('textarea')?.focus()
    if (isSending) return
    setSending(true)
    try {
      await create('notes', { body, ...linksOf(kind, id) })
      const rest = typedSince(text, kept.body.peek()?.text)
      if (rest === '') kept.clear()
      else kept.set({ text: rest })
    } catch (error) {
      sayFailed(words.noteNotAdded, error)
    } finally {
      setSending(false)
    }
  }

  return (
    <div ref={box}>
      <NoteEditor
        label={words.noteLabel}
        placeholder={words.notePlaceholder}
        value={text}
        onInput={(typed) => (typed === '' ? kept.clear() : kept.set({ text: typed }))}
        onSend={() => void send()}
      />
      <TooLong text={text} over={overText} />
      <div class="end-row row">
        <IconButton plain icon="person" title={words.mention} onClick={() => beginMention(box.current)} />
        <span class="grow" />
        <DraftState isThere={text !== ''} isKept={kept.isKept.value} />
        <Button first keys={SEND()} working={isSending ? words.adding : undefined} onClick={() => void send()}>
          {words.addNote}
        </Button>
      </div>
    </div>
  )
}

type TaskTabProps = {
  kind: PageKind
  id: string
  /** What it is about, such as a conversation: it begins with this title and leads back by its text. */
  about?: { draft: string; title: string; body: string } | undefined
  onAdded?: () => void
}

export function TaskTab({ kind, id, about, onAdded }: TaskTabProps) {
  const kept = draftFor(about?.draft ?? `task:${kind}:${id}`)
  const [isSending, setSending] = useState(false)
  const [missing, setFault] = useState<string | undefined>(undefined)
  const words = texts().composer
  const task: TaskDraft = {
    title: about?.title ?? '',
    type: 'todo',
    day: '',
    time: '',
    owner_id: me.value.id,
    ...kept.body.value,
  }
  const fault = missing ?? tooLong(task.title.trim())

  async function send(): Promise<void> {
    if (isSending) return
    const title = task.title.trim()
    if (title === '') return setFault(words.needsTitle)
    if (tooLong(title)) return
    setFault(undefined)
    setSending(true)
    try {
      const { type, owner_id } = task
      const body = about ? { body: about.body } : {}
      await create('tasks', {
        title,
        type,
        owner_id: owner_id || null,
        due_at: dueOf(task),
        ...body,
        ...linksOf(kind, id),
      })
      const rest = typedSince(task.title, kept.body.peek()?.title)
      if (rest === '') kept.clear()
      else kept.set({ ...kept.body.peek(), title: rest })
      onAdded?.()
    } catch (error) {
      sayFailed(words.taskNotAdded, error)
    } finally {
      setSending(false)
    }
  }

  return (
    <>
      <TaskForm
        task={task}
        fault={fault}
        onChange={(changed) => {
          setFault(undefined)
          kept.set({ ...task, ...changed })
        }}
        onSend={() => void send()}
      />
      <div class="end-row row">
        <span class="grow" />
        <DraftState isThere={task.title !== ''} isKept={kept.isKept.value} />
        <Button first keys={SEND()} working={isSending ? words.adding : undefined} onClick={() => void send()}>
          {words.addTask}
        </Button>
      </div>
    </>
  )
}

/** The end of the day, if no time is given. */
function dueOf({ day, time }: TaskDraft): string | null {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number)
  if (year === 0) return null
  const [hour = 23, minute = 59] = time === '' ? [] : time.split(':').map(Number)
  const at = momentOf({ year, month, day: date, hour, minute, second: 0 }, format.peek().timezone)
  return new Date(at).toISOString()
}

export function DraftState({ isThere, isKept }: { isThere: boolean; isKept: boolean }) {
  if (!isThere) return null
  return <span class="small mute">{isKept ? texts().composer.kept : texts().composer.keeping}</span>
}
