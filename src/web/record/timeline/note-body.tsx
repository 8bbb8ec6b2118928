import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { sayFailed } from '../../components/say-failed.ts'
import { showToast } from '../../components/toast.tsx'
import { BegunBefore, useBegun } from '../../components/typed/begun.tsx'
import { TooLong, tooLong } from '../../components/typed/too-long.tsx'
import { load, patch, remove } from '../../data/records.ts'
import { asStep } from '../../data/writes.ts'
import { overText } from '../../lib/letters.ts'
import { t } from '../../lib/texts/texts.ts'
import { Markdown } from '../markdown/markdown.tsx'
import { NoteEditor } from '../note-editor.tsx'
import { texts } from '../texts.ts'
import type { Entry } from './entries.ts'
import { Row } from './row.tsx'

type NoteProps = {
  entry: Extract<Entry, { kind: 'note' }>
  mayWrite: boolean
  mark: ComponentChildren
  name: string
}

/** A note, which its reader may edit, pin and delete. */
export function NoteBody({ entry, mayWrite, mark, name }: NoteProps) {
  const { note } = entry
  const [draft, setDraft] = useState<string | undefined>(undefined)
  const [isOpen, setOpen] = useState(false)
  const [whole, setWhole] = useState<string | undefined>(undefined)
  const box = useRef<HTMLDivElement>(null)
  const words = texts().timeline

  /** The timeline has the first 4,000 characters of long notes. */
  async function wholeText(): Promise<string> {
    return note.is_cut ? (await load('notes', note.id)).body : note.body
  }

  async function save(text: string): Promise<void> {
    setDraft(undefined)
    try {
      await patch('notes', note.id, { body: text })
    } catch (error) {
      setDraft(text)
      sayFailed(words.noteNotSaved, error)
    }
  }

  function pin(): void {
    patch('notes', note.id, { is_pinned: !note.is_pinned }).catch((error) => sayFailed(words.noteNotSaved, error))
  }

  function removeNote(): void {
    const step = asStep(() => {
      remove('notes', note.id).catch((error) => sayFailed(words.noteNotDeleted, error))
    })
    showToast({ text: words.noteDeleted, icon: 'trash', step })
  }

  const groups = mayWrite
    ? [
        {
          items: [
            {
              label: words.editNote,
              icon: 'pen' as const,
              onPick: () =>
                void wholeText()
                  .then(setDraft)
                  .catch(() => undefined),
            },
            { label: note.is_pinned ? words.unpin : words.pin, icon: 'pin' as const, onPick: pin },
          ],
        },
        { items: [{ label: words.deleteNote, icon: 'trash' as const, danger: true, onPick: removeNote }] },
      ]
    : []
  const sentence = (
    <>
      <b>{name}</b> {words.addedNote}
      {note.is_pinned && (
        <span class="pinned small mute">
          <Icon name="pin" small /> {words.pinned}
        </span>
      )}
    </>
  )
  return (
    <Row at={entry.at} mark={mark} sentence={sentence} groups={groups}>
      {draft === undefined ? (
        <div ref={box} class={note.is_pinned ? 'note pin' : 'note'}>
          {note.title && <h4>{note.title}</h4>}
          <Markdown text={isOpen ? (whole ?? note.body) : note.body} />
          {note.is_cut && !isOpen && (
            <Button
              plain
              class="opens-all"
              onClick={() => {
                void wholeText()
                  .then((text) => {
                    setWhole(text)
                    setOpen(true)
                  })
                  .catch((error) => sayFailed(words.mailFailed, error))
              }}
            >
              {words.whole}
            </Button>
          )}
        </div>
      ) : (
        <EditNote id={note.id} text={draft} onSave={save} onLeave={() => setDraft(undefined)} />
      )}
    </Row>
  )
}

type EditNoteProps = { id: string; text: string; onSave: (text: string) => Promise<void>; onLeave: () => void }

/** What is changed of a note is a draft until it is saved: Esc leaves it for the next time. */
function EditNote({ id, text, onSave, onLeave }: EditNoteProps) {
  const { values, set, clear, form } = useBegun(`note.${id}`, { text })
  const save = () => {
    const changed = values.text.trim()
    if (changed === '' || tooLong(values.text, overText)) return
    clear()
    void onSave(changed)
  }
  return (
    <div class="note is-edit">
      <BegunBefore form={form} />
      <NoteEditor
        label={texts().timeline.editNote}
        value={values.text}
        autofocus
        onInput={(text) => set({ text })}
        onSend={save}
        onEscape={onLeave}
      />
      <TooLong text={values.text} over={overText} />
      <div class="row">
        <Button plain onClick={onLeave}>
          {t().cancel}
        </Button>
        <Button onClick={save}>{t().save}</Button>
      </div>
    </div>
  )
}
