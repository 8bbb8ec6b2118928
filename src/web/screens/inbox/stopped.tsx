import { Button } from '../../components/button.tsx'
import type { Message } from '../../data/types.ts'
import { nameOfAuthor } from './message.tsx'
import { texts } from './texts.ts'

type StoppedProps = {
  since: readonly Message[]
  text: string
  isSending: boolean
  onDiscard: () => void
  onKeep: () => void
  onSend: () => void
}

/** Somebody has written since: theirs first, mine in one line under it. None of the ways on is the obvious one. */
export function Stopped({ since, text, isSending, onDiscard, onKeep, onSend }: StoppedProps) {
  const words = texts()
  const first = since[0]
  const name = first ? nameOfAuthor(first) : ''
  return (
    <section class="stop" aria-label={words.stopped(name)}>
      <header>
        <b class="mid" role="alert">
          {first?.direction === 'inbound' ? words.theyWrote(name) : words.stopped(name)}
        </b>
        <div class="small">{words.stoppedBody}</div>
      </header>
      {since.map((message) => (
        <p key={message.id} class="said" dir="auto">
          {message.body_text}
        </p>
      ))}
      <p class="mine cut small mute" dir="auto">
        {words.yours(text)}
      </p>
      <footer class="row">
        <Button plain onClick={onDiscard}>
          {words.discard}
        </Button>
        <span class="grow" />
        <Button onClick={onKeep}>{words.keepWriting}</Button>
        <Button working={isSending ? words.sending : undefined} onClick={onSend}>
          {words.sendAll}
        </Button>
      </footer>
    </section>
  )
}
