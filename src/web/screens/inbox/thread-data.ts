import { signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { pathWith } from '../../data/api.ts'
import { client } from '../../data/current.ts'
import type { Message } from '../../data/types.ts'

const PAGE = 100
const GATHER_MS = 150

type Page = { data: Message[]; next_cursor: string | null }
export type Thread = ReturnType<typeof threadOf>

/** The messages of a conversation, oldest first: the newest of them, and earlier ones when asked for. */
export function useThread(id: string): Thread {
  const thread = useMemo(() => threadOf(id), [id])
  useEffect(() => {
    void thread.again()
    return thread.follow()
  }, [thread])
  return thread
}

function threadOf(id: string) {
  const messages = signal<readonly Message[] | undefined>(undefined)
  const earlier = signal<string | null>(null)
  const error = signal<unknown>(undefined)
  let round = 0

  async function read(cursor?: string): Promise<void> {
    round += 1
    const mine = round
    try {
      const asked = { sort: '-created_at', limit: PAGE, cursor }
      const page = await client().api.get<Page>(pathWith(`/api/v1/conversations/${id}/messages`, asked))
      if (mine !== round) return
      take(page, cursor !== undefined)
      error.value = undefined
    } catch (reason) {
      if (mine === round) error.value = reason
    }
  }

  /** The newest page is all that there is from its oldest message on: what was taken back is not in it. */
  function take({ data, next_cursor }: Page, isEarlier: boolean): void {
    const known = messages.peek() ?? []
    const hasGap = !isEarlier && next_cursor !== null && !data.some((each) => known.some((one) => one.id === each.id))
    if (isEarlier || known.length === 0 || hasGap) earlier.value = next_cursor
    const oldest = next_cursor === null ? '' : (data.at(-1)?.id ?? '')
    const kept = hasGap ? [] : known.filter(({ id }) => isEarlier || id < oldest)
    const all = new Map([...kept, ...data].map((each) => [each.id, each]))
    messages.value = [...all.values()].sort(
      (one, other) => placeOf(one) - placeOf(other) || (one.id < other.id ? -1 : 1),
    )
  }

  function follow(): () => void {
    const { events, timers, refreshers } = client()
    let stopTimer: (() => void) | undefined
    const again = () => read()
    const stop = events.onEvent(({ data: { object } }, kind) => {
      const isOurs = kind === 'messages' ? object.conversation_id === id : kind === 'conversations' && object.id === id
      if (!isOurs) return
      stopTimer ??= timers.after(GATHER_MS, () => {
        stopTimer = undefined
        void read()
      })
    })
    refreshers.add(again)
    return () => {
      stopTimer?.()
      stop()
      refreshers.delete(again)
    }
  }

  const again = () => read()
  const more = () => (earlier.peek() === null ? Promise.resolve() : read(earlier.peek() as string))
  return { messages, earlier, error, again, more, follow }
}

/**
 * By when it came or left here, by the clock of the server, whatever its writer's says: an answer never stands above what it
 * answers. What is held stands where it will leave.
 */
export const placeOf = ({ direction, created_at, sent_at }: Message): number =>
  Date.parse(direction === 'outbound' && sent_at > created_at ? sent_at : created_at)

/**
 * The last message of a person that the server has stored, which a reply has to have seen: also one of ours that is held. Places
 * do not tell: what was held stands behind what came meanwhile.
 */
export const newestOf = (messages: readonly Message[]): Message | undefined =>
  messages
    .filter(({ direction, is_automatic, status }) => direction !== 'note' && !is_automatic && status !== 'failed')
    .reduce<Message | undefined>((last, each) => (last === undefined || each.id > last.id ? each : last), undefined)
