import { useEffect, useRef, useState } from 'preact/hooks'
import { keyLabel } from '../../commands/keys.ts'
import { isMac } from '../../commands/listen.ts'
import { me } from '../../data/boot.ts'
import { draft as draftFor } from '../../data/drafts.ts'
import { create } from '../../data/records.ts'
import { format } from '../../lib/locale.ts'
import { rovingKeys } from '../../lib/roving.ts'
import { momentOf } from '../../lib/zoned.ts'
import { query, setQuery } from '../../router.ts'
import { Button, IconButton } from '../button.tsx'
import { Icon } from '../icon.tsx'
import { OBJECTS, type PageKind } from './kinds.ts'
import { mayWrite } from './may-write.ts'
import { beginMention, NoteEditor } from './note-editor.tsx'
import { sayFailed } from './say-failed.ts'
import { type TaskDraft, TaskForm } from './task-form.tsx'
import { texts } from './texts.ts'
import './composer.css'

type Tab = 'note' | 'task'
type ComposerProps = { kind: PageKind; id: string; isDocked?: boolean }

/** Writes notes and tasks about the record. What is begun is kept on the server until it is sent. */
export function Composer({ kind, id, isDocked = false }: ComposerProps) {
  const [tab, setTab] = useState<Tab>('note')
  const box = useRef<HTMLDivElement>(null)
  const words = texts().composer
  const isAsked = query.value.get('compose')
  const tabs = (['note', 'task'] as const).filter((each) => mayWrite(`${each}s`))
  useEffect(() => {
    const onCompose = (event: Event) => begin((event as CustomEvent<Tab>).detail)
    document.addEventListener('compose', onCompose)
    return () => document.removeEventListener('compose', onCompose)
  }, [])
  useEffect(() => {
    if (isAsked !== 'note' && isAsked !== 'task') return
    begin(isAsked)
    void setQuery({ compose: null }, { replace: true })
  }, [isAsked])

  function begin(which: Tab): void {
    setTab(which)
    requestAnimationFrame(() => box.current?.querySelector<HTMLElement>('textarea, input')?.focus())
  }

  if (tabs.length === 0) return null
  const shown = tabs.includes(tab) ? tab : 'note'
  return (
    <div ref={box} class={isDocked ? 'comp is-docked' : 'comp'}>
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
            onClick={() => setTab(each)}
          >
            <Icon name={each} small />
            {words[each]}
          </button>
        ))}
      </div>
      <div id="compose" role="tabpanel" aria-labelledby={`compose-${shown}`}>
        {shown === 'note' ? <NoteForm kind={kind} id={id} /> : <TaskTab kind={kind} id={id} />}
      </div>
    </div>
  )
}

const linksOf = (kind: PageKind, id: string) => ({ [`${OBJECTS[kind]}_ids`]: [id] })
const SEND = () => keyLabel('mod+Enter', isMac)

function NoteForm({ kind, id }: { kind: PageKind; id: string }) {
  const kept = draftFor(`note:${kind}:${id}`)
  const box = useRef<HTMLDivElement>(null)
  const [isSending, setSending] = useState(false)
  const text = String(kept.body.value?.text ?? '')
  const words = texts().composer

  async function send(): Promise<void> {
    const body = text.trim()
    if (body === '') return box.current?.querySelector('textarea')?.focus()
    if (isSending) return
    setSending(true)
    try {
      await create('notes', { body, ...linksOf(kind, id) })
      kept.clear()
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
      <div class="end-row">
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

function TaskTab({ kind, id }: { kind: PageKind; id: string }) {
  const kept = draftFor(`task:${kind}:${id}`)
  const [isSending, setSending] = useState(false)
  const [fault, setFault] = useState<string | undefined>(undefined)
  const words = texts().composer
  const task: TaskDraft = { title: '', type: 'todo', day: '', time: '', owner_id: me.value.id, ...kept.body.value }

  async function send(): Promise<void> {
    if (isSending) return
    const title = task.title.trim()
    if (title === '') return setFault(words.needsTitle)
    setFault(undefined)
    setSending(true)
    try {
      const { type, owner_id } = task
      await create('tasks', { title, type, owner_id: owner_id || null, due_at: dueOf(task), ...linksOf(kind, id) })
      kept.clear()
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
      <div class="end-row">
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

function DraftState({ isThere, isKept }: { isThere: boolean; isKept: boolean }) {
  if (!isThere) return null
  return <span class="small mute">{isKept ? texts().composer.kept : texts().composer.keeping}</span>
}
