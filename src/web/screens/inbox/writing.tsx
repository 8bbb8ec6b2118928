import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { IconButton } from '../../components/button.tsx'
import { base } from '../../lib/base.ts'
import { DraftState } from '../../record/composer.tsx'
import { Markdown, Pictures } from '../../record/markdown/markdown.tsx'
import { NoteEditor } from '../../record/note-editor.tsx'
import type { BoxFiles } from './box-files.ts'
import { FileChips, pasteInto, useDrop } from './file-chips.tsx'
import { SavedReplyButton, useSavedReplies } from './saved-replies/picker.tsx'
import { texts } from './texts.ts'

type WritingProps = {
  /** Where the saved replies stand, filled in for whom it goes to; none, where that is nobody whose name is known. */
  savedReplies?: string
  box: BoxFiles
  label: string
  placeholder: string
  text: string
  isKept: boolean
  hasMentions?: boolean
  /** Where it leaves as plain text alone, nothing in it is marked, and pictures are files. */
  isPlain?: boolean
  onInput: (text: string) => void
  onSend: () => void
  onDiscard: () => void
  onEscape: () => void
  /** Between the text and the files. */
  below?: ComponentChildren
  /** How it is sent. */
  children: ComponentChildren
}

/** A text with its files, and what can be done with both. */
export function Writing(props: WritingProps) {
  const { savedReplies, box, label, placeholder, text, isKept, isPlain = false, below, children } = props
  const [isPreview, setPreview] = useState<boolean | null>(null)
  const isShown = isPreview === true && text !== ''
  /** Whoever has looked writes on. */
  const isBack = isPreview === false
  const [isOver, setOver] = useState(false)
  const saved = useSavedReplies(savedReplies)
  const picker = useRef<HTMLInputElement>(null)
  const words = texts().attached
  const isThere = text !== '' || box.files.value.length > 0
  useDrop(box, setOver)
  return (
    <div class="writing" onPaste={(event) => pasteInto(box, event, !isPlain)}>
      {isOver && <p class="live small">{words.drop}</p>}
      {isShown ? (
        <Preview box={box} text={text} isMail={props.hasMentions !== true} />
      ) : (
        <NoteEditor
          label={label}
          placeholder={placeholder}
          value={text}
          autofocus={isBack}
          hasMentions={props.hasMentions ?? false}
          addOn={savedReplies === undefined ? undefined : saved}
          onInput={props.onInput}
          onSend={props.onSend}
          onEscape={props.onEscape}
        />
      )}
      {below}
      <FileChips box={box} />
      <div class="end-row">
        <input
          ref={picker}
          type="file"
          multiple
          hidden
          aria-label={words.add}
          onChange={({ currentTarget }) => {
            box.add([...(currentTarget.files ?? [])])
            currentTarget.value = ''
          }}
        />
        <IconButton plain icon="clip" title={words.add} onClick={() => picker.current?.click()} />
        {savedReplies !== undefined && <SavedReplyButton path={savedReplies} />}
        {text !== '' && !isPlain && (
          <IconButton
            plain
            icon="eye"
            title={isShown ? texts().writeOn : texts().preview}
            aria-pressed={isShown}
            onClick={() => setPreview(!isShown)}
          />
        )}
        {isThere && <IconButton plain icon="trash" title={texts().discardDraft} onClick={props.onDiscard} />}
        <span class="grow" />
        <DraftState isThere={isThere} isKept={isKept} />
        {children}
      </div>
    </div>
  )
}

/** As it is read: see src/inbox/messages/written-html.ts. */
function Preview({ box, text, isMail }: { box: BoxFiles; text: string; isMail: boolean }) {
  const addressOf = (name: string) => {
    const id = box.files.value.find((file) => file.name === name)?.id
    return id === undefined ? undefined : `${base}${box.path}/${id}`
  }
  return (
    <section class="preview" aria-label={texts().preview}>
      <Pictures.Provider value={addressOf}>
        <Markdown text={text} isMail={isMail} />
      </Pictures.Provider>
    </section>
  )
}
