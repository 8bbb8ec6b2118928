import { me } from '../../data/boot.ts'
import { client } from '../../data/current.ts'
import { draft as draftFor } from '../../data/drafts.ts'
import type { Message } from '../../data/types.ts'
import { boxFiles } from './box-files.ts'
import { asideKey, replyKey, unsent } from './composing.ts'
import { HeldLetter } from './held-letter.tsx'

/** Mine that wait. */
export const lettersOf = (messages: readonly Message[]): Message[] =>
  messages.filter((each) => each.status === 'queued' && each.send_at !== null && each.author.id === me.value.id)

type HeldLettersProps = {
  letters: readonly Message[]
  isAside: (message: Message) => boolean
  /** The newest message that the writer has seen. */
  seen: string | undefined
  /** One is a draft again. */
  onBack: (isAside: boolean) => void
}

/** Each of my letters that wait; the key of the moment is that of the last. */
export function HeldLetters({ letters, isAside, seen, onBack }: HeldLettersProps) {
  return (
    <>
      {letters.map((letter) => {
        const isBeside = isAside(letter)
        const { conversation_id: id } = letter
        const key = isBeside ? asideKey(id) : replyKey(id)
        return (
          <HeldLetter
            key={letter.id}
            letter={letter}
            hasKey={letter === letters.at(-1)}
            takeBack={async () => {
              await client().api.request('POST', `/app/messages/${letter.id}/take-back`, { body: { key } })
              await boxFiles(key).again()
            }}
            sendNow={() => client().api.request('POST', `/app/messages/${letter.id}/send-now`)}
            onBack={() => {
              const isBack = unsent(letter, isBeside, seen)
              if (isBack) onBack(isBeside)
              return isBack
            }}
            onGone={() => draftFor(key).clear()}
          />
        )
      })}
    </>
  )
}
