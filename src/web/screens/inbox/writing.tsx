import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { IconButton } from '../../components/button.tsx'
import { DraftState } from '../../record/composer.tsx'
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
  const { savedReplies, box, label, placeholder, text, isKept, hasMentions = false, below, children } = props
  const [isOver, setOver] = useState(false)
  const saved = useSavedReplies(savedReplies)
  const picker = useRef<HTMLInputElement>(null)
  const words = texts().attached
  const isThere = text !== '' || box.files.value.length > 0
  useDrop(box, setOver)
  return (
    <div class="writing" onPaste={(event) => pasteInto(box, event)}>
      {isOver && <p class="live small">{words.drop}</p>}
      <NoteEditor
        label={label}
        placeholder={placeholder}
        value={text}
        hasMentions={hasMentions}
        addOn={savedReplies === undefined ? undefined : saved}
        onInput={props.onInput}
        onSend={props.onSend}
        onEscape={props.onEscape}
      />
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
        {isThere && <IconButton plain icon="trash" title={texts().discardDraft} onClick={props.onDiscard} />}
        <span class="grow" />
        <DraftState isThere={isThere} isKept={isKept} />
        {children}
      </div>
    </div>
  )
}
