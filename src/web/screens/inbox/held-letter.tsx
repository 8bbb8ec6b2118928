import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { sayWhy } from '../../components/say-why.ts'
import { showToast } from '../../components/toast.tsx'
import { ApiProblem } from '../../data/api.ts'
import { client } from '../../data/current.ts'
import type { Message } from '../../data/types.ts'
import { format } from '../../lib/locale.ts'
import { serverNow } from '../../lib/server-time.ts'
import { register } from '../../shell/commands/registry.ts'
import { attempt } from '../../shell/pages/attempt.ts'
import { boxFiles } from './box-files.ts'
import { texts } from './texts.ts'

/** How long a reply can be taken back after it was sent. */
export const UNDO_MS = 10_000
const AROUND = 56.5

/** Whether it leaves so soon that it stands in the place of the next reply. */
export const isSoon = ({ send_at }: Message): boolean => Date.parse(send_at ?? '') - serverNow() <= UNDO_MS + 1000

type HeldLetterProps = {
  message: Message
  /** The draft that it becomes again. */
  draftKey: string
  /** Whether the key of the moment is that of this one. */
  hasKey: boolean
  /** It is a draft again; false if it cannot be one. */
  onBack: (message: Message) => boolean
  /** It has left after all, and the draft would be the same once more. */
  onGone: () => void
}

/** A reply of mine that waits: a ring that empties in ten seconds, or the time at which it leaves. */
export function HeldLetter({ message, draftKey, hasKey, onBack, onGone }: HeldLetterProps) {
  const { id, send_at } = message
  const due = Date.parse(send_at ?? '')
  const [left, setLeft] = useState(due - serverNow())
  const [isBack, setBack] = useState(false)
  useEffect(() => {
    const tick = () => setLeft(due - serverNow())
    tick()
    const timer = setInterval(tick, 500)
    return () => clearInterval(timer)
  }, [due])
  const isLeaving = isSoon(message)
  const words = texts()

  /** It is a draft before it is taken back, so that no lost answer takes the text along. */
  async function undo(): Promise<void> {
    if (isBack || !onBack(message)) return
    setBack(true)
    try {
      await client().api.request('POST', `/app/messages/${id}/take-back`, { body: { key: draftKey } })
      await boxFiles(draftKey).again()
    } catch (error) {
      // Taken back already, as on another page.
      if (error instanceof ApiProblem && error.status === 404) return
      const hasLeft = error instanceof ApiProblem && error.code === 'not_held'
      if (hasLeft) onGone()
      showToast({ kind: 'error', text: hasLeft ? words.hasLeft : sayWhy(error) })
      setBack(false)
    }
  }

  const sendNow = () => attempt(() => client().api.request('POST', `/app/messages/${id}/send-now`))

  // The key is that of the moment: what waits until Monday is not taken back by it.
  useLayoutEffect(
    () =>
      isLeaving && hasKey && !isBack
        ? register([
            {
              id: 'inbox.undo-send',
              title: () => texts().undoSend,
              group: 'record',
              keys: 'z',
              icon: 'undo',
              where: 'panel',
              run: () => void undo(),
            },
          ])
        : undefined,
    [id, isLeaving, hasKey, isBack],
  )

  // The draft stands for it until the thread is read again: an Undo that does nothing would be in the way of the next one's.
  if (isBack) return null
  return (
    <div class="sent-letter row" role="status">
      {isLeaving ? (
        <svg class="ring" viewBox="0 0 22 22" aria-hidden="true">
          <circle class="t" cx="11" cy="11" r="9" />
          <circle
            class="p"
            cx="11"
            cy="11"
            r="9"
            stroke-dasharray={`${(Math.max(0, left) / UNDO_MS) * AROUND} ${AROUND}`}
          />
        </svg>
      ) : (
        <Icon name="clock" />
      )}
      <div class="grow">
        <b class="mid cut" dir="auto">
          {isLeaving ? words.sendingTo(namesOf(message)) : words.leaves(format.value.when(due, serverNow()))}
        </b>
        <div class="small mute cut" dir="auto">
          {message.body_text}
        </div>
      </div>
      <Button keys={isLeaving && hasKey ? 'Z' : undefined} onClick={() => void undo()}>
        {words.undoSend}
      </Button>
      <Button plain onClick={() => void sendNow()}>
        {words.sendNow}
      </Button>
    </div>
  )
}

const namesOf = ({ to, cc }: Message): string =>
  format.value.list([...to, ...cc].map(({ name, email }) => name || email))
