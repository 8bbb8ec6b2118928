import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../../../components/button.tsx'
import { Icon } from '../../../components/icon.tsx'
import { sayWhy } from '../../../components/say-why.ts'
import { Bar as Skeleton } from '../../../components/skeleton.tsx'
import type { Meeting } from '../../../data/types.ts'
import { mayWriteTranscripts } from '../state.ts'
import { texts } from '../texts.ts'
import { entryOf, loadTranscript } from './data.ts'
import { ENDINGS, takeFile } from './files.ts'
import { TranscriptView } from './view.tsx'
import './transcript.css'

/** What was said: read when it is first shown; a file is taken by the button or by dropping it anywhere here. */
export function TranscriptPart({ meeting }: { meeting: Meeting }) {
  const { id, has_transcript } = meeting
  const entry = entryOf(id)
  const transcript = entry.value.value
  const words = texts()
  const [isOver, setOver] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const isFree = mayWriteTranscripts()
  useEffect(() => {
    // Somebody else has added or removed it.
    const known = entry.value.peek()
    if (has_transcript && !known) void loadTranscript(id)
    if (!has_transcript && known === undefined) entry.value.value = null
  }, [id, has_transcript])
  const takeIt = async (file: File | undefined) => {
    if (!file || !isFree) return
    setBusy(true)
    await takeFile(id, file)
    setBusy(false)
  }
  const choose = () => input.current?.click()
  return (
    <section
      class={isOver ? 'transcript fill is-over' : 'transcript fill'}
      aria-label={words.partNames.transcript}
      aria-busy={isBusy}
      onDragOver={(event) => {
        if (!isFree || !event.dataTransfer?.types.includes('Files')) return
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        void takeIt(event.dataTransfer?.files[0])
      }}
    >
      <input
        ref={input}
        type="file"
        hidden
        accept={ENDINGS}
        onChange={(event) => {
          void takeIt(event.currentTarget.files?.[0])
          event.currentTarget.value = ''
        }}
      />
      {transcript && <TranscriptView meeting={meeting} transcript={transcript} onReplace={choose} />}
      {transcript === null && (
        <div class="no-transcript stack">
          <Icon name="mic" />
          <p>{words.noTranscript}</p>
          {isFree && (
            <Button icon="upload" working={isBusy ? words.uploading : undefined} onClick={choose}>
              {words.upload}
            </Button>
          )}
          {isFree && <p class="small mute">{words.dropHint}</p>}
        </div>
      )}
      {transcript === undefined && entry.error.value === undefined && <Skeleton />}
      {transcript === undefined && entry.error.value !== undefined && (
        <div class="no-transcript stack">
          <p role="alert">{sayWhy(entry.error.value)}</p>
          <Button onClick={() => void loadTranscript(id)}>{words.tryAgain}</Button>
        </div>
      )}
    </section>
  )
}
