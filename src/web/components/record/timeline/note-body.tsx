import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { load, patch, remove } from '../../../data/records.ts'
import { undoDeletion } from '../../../shell/undo.ts'
import { t } from '../../../texts/texts.ts'
import { Button } from '../../button.tsx'
import { Icon } from '../../icon.tsx'
import { showToast } from '../../toast.tsx'
import { Markdown } from '../markdown/markdown.tsx'
import { NoteEditor } from '../note-editor.tsx'
import { sayFailed } from '../say-failed.ts'
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

  async function save(): Promise<void> {
    const text = draft?.trim() ?? ''
    if (text === '') return
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

  async function removeNote(): Promise<void> {
    try {
      await remove('notes', note.id)
      showToast({ text: words.noteDeleted, icon: 'trash', undo: () => undoDeletion('notes', note.id) })
    } catch (error) {
      sayFailed(words.noteNotDeleted, error)
    }
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
        { items: [{ label: words.deleteNote, icon: 'trash' as const, danger: true, onPick: () => void removeNote() }] },
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
        <div class="note is-edit">
          <NoteEditor
            label={words.editNote}
            value={draft}
            autofocus
            onInput={setDraft}
            onSend={() => void save()}
            onEscape={() => setDraft(undefined)}
          />
          <div class="row">
            <Button plain onClick={() => setDraft(undefined)}>
              {t().cancel}
            </Button>
            <Button onClick={() => void save()}>{t().save}</Button>
          </div>
        </div>
      )}
    </Row>
  )
}
