import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { sayWhy } from '../../components/say-why.ts'
import { showToast } from '../../components/toast.tsx'
import { ApiProblem } from '../../data/api.ts'
import type { Message } from '../../data/types.ts'
import { format } from '../../lib/locale.ts'
import { serverNow } from '../../lib/server-time.ts'
import { register } from '../../shell/commands/registry.ts'
import { attempt } from '../../shell/pages/attempt.ts'
import { texts } from './texts.ts'

/** How long a reply can be taken back after it was sent. */
export const UNDO_MS = 10_000
const AROUND = 56.5

/** Whether it leaves so soon that it stands in the place of the next reply. */
export const isSoon = ({ send_at }: Pick<Message, 'send_at'>): boolean =>
  Date.parse(send_at ?? '') - serverNow() <= UNDO_MS + 1000

type HeldLetterProps = {
  letter: Pick<Message, 'send_at' | 'to' | 'cc' | 'body_text'>
  /** Whether the key of the moment is that of this one. */
  hasKey: boolean
  takeBack: () => Promise<unknown>
  sendNow: () => Promise<unknown>
  /** It is a draft again; false if it cannot be one. */
  onBack?: () => boolean
  /** It has left after all, and the draft would be the same once more. */
  onGone: () => void
}

/** A reply of mine that waits: a ring that empties in ten seconds, or the time at which it leaves. */
export function HeldLetter({ letter, hasKey, takeBack, sendNow, onBack, onGone }: HeldLetterProps) {
  const { send_at } = letter
  const due = Date.parse(send_at ?? '')
  const [left, setLeft] = useState(due - serverNow())
  const [isBack, setBack] = useState(false)
  useEffect(() => {
    const tick = () => setLeft(due - serverNow())
    tick()
    const timer = setInterval(tick, 500)
    return () => clearInterval(timer)
  }, [due])
  const isLeaving = isSoon(letter)
  const words = texts()

  /** It is a draft before it is taken back, so that no lost answer takes the text along. */
  async function undo(): Promise<void> {
    if (isBack || onBack?.() === false) return
    setBack(true)
    try {
      await takeBack()
    } catch (error) {
      // Taken back already, as on another page.
      if (error instanceof ApiProblem && error.status === 404) return
      const hasLeft = error instanceof ApiProblem && error.code === 'not_held'
      if (hasLeft) onGone()
      showToast({ kind: 'error', text: hasLeft ? words.hasLeft : sayWhy(error) })
      setBack(false)
    }
  }

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
    [send_at, isLeaving, hasKey, isBack],
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
          {isLeaving ? words.sendingTo(namesOf(letter)) : words.leaves(format.value.when(due, serverNow()))}
        </b>
        <div class="small mute cut" dir="auto">
          {letter.body_text}
        </div>
      </div>
      <Button keys={isLeaving && hasKey ? 'Z' : undefined} onClick={() => void undo()}>
        {words.undoSend}
      </Button>
      <Button plain onClick={() => void attempt(sendNow)}>
        {words.sendNow}
      </Button>
    </div>
  )
}

const namesOf = ({ to, cc }: Pick<Message, 'to' | 'cc'>): string =>
  format.value.list([...to, ...cc].map(({ name, email }) => name || email))
