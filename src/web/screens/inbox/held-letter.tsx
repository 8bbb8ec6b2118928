import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { sayWhy } from '../../components/say-why.ts'
import { showToast } from '../../components/toast.tsx'
import { ApiProblem } from '../../data/api.ts'
import { client } from '../../data/current.ts'
import { create } from '../../data/records.ts'
import type { Message } from '../../data/types.ts'
import { format } from '../../lib/locale.ts'
import { serverNow } from '../../lib/server-time.ts'
import { register } from '../../shell/commands/registry.ts'
import { texts } from './texts.ts'

/** How long a reply can be taken back after it was sent. */
export const UNDO_MS = 10_000
const AROUND = 56.5

type HeldLetterProps = {
  message: Message
  /** It is a draft again. */
  onBack: (message: Message) => void
}

/** A reply of mine that waits: a ring that empties in ten seconds, or the time at which it leaves. */
export function HeldLetter({ message, onBack }: HeldLetterProps) {
  const { id, send_at, conversation_id } = message
  const due = Date.parse(send_at ?? '')
  const [left, setLeft] = useState(due - serverNow())
  const [isWorking, setWorking] = useState(false)
  useEffect(() => {
    const tick = () => setLeft(due - serverNow())
    tick()
    const timer = setInterval(tick, 500)
    return () => clearInterval(timer)
  }, [due])
  const isSoon = left <= UNDO_MS + 1000
  const words = texts()

  async function takeBack(): Promise<Message | undefined> {
    if (isWorking) return undefined
    setWorking(true)
    try {
      return (await client().api.request<Message>('POST', `/api/v1/messages/${id}/cancel`)).body
    } catch (error) {
      const isGone = error instanceof ApiProblem && (error.code === 'not_held' || error.status === 404)
      showToast({ kind: 'error', text: isGone ? words.hasLeft : sayWhy(error) })
      return undefined
    } finally {
      setWorking(false)
    }
  }

  async function undo(): Promise<void> {
    const back = await takeBack()
    if (back) onBack(back)
  }

  async function sendNow(): Promise<void> {
    const back = await takeBack()
    if (!back) return
    const { body_text, to, cc, bcc } = back
    const given = { conversation_id, direction: 'outbound', body_text, to, cc, bcc }
    await create('messages', given).catch((error) => {
      onBack(back)
      showToast({ kind: 'error', text: sayWhy(error) })
    })
  }

  useLayoutEffect(
    () =>
      register([
        {
          id: 'inbox.undo-send',
          title: () => texts().undoSend,
          group: 'record',
          keys: 'z',
          icon: 'undo',
          where: 'panel',
          run: () => void undo(),
        },
      ]),
    [id],
  )

  return (
    <div class="sent-letter row" role="status">
      {isSoon ? (
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
          {isSoon ? words.sendingTo(namesOf(message)) : words.leaves(format.value.when(due, serverNow()))}
        </b>
        <div class="small mute cut" dir="auto">
          {message.body_text}
        </div>
      </div>
      <Button keys="Z" onClick={() => void undo()}>
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
