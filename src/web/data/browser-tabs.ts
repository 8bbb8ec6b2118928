import { nameHere } from '../lib/kept.ts'

// The tabs of this browser know of each other through a BroadcastChannel, so that each write is sent by one of them.

type Message = { ask: string } | { answer: string } | { bye: string }

const ANSWERS_MS = 300

/** `onBye` is called when another tab closes: it may have left writes behind. */
export function browserTabs(tab: string, onBye: () => void) {
  if (typeof BroadcastChannel === 'undefined') return { living: async () => new Set<string>() }
  const channel = new BroadcastChannel(nameHere('tabs'))
  const answers = new Set<(tab: string) => void>()
  const post = (message: Message) => channel.postMessage(message)

  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if ('ask' in data) post({ answer: tab })
    else if ('bye' in data) onBye()
    else for (const answer of answers) answer(data.answer)
  }
  addEventListener('pagehide', () => post({ bye: tab }))

  /** The tabs that answer. A frozen one does not, and looks before it sends again whether its writes are still its own. */
  async function living(): Promise<ReadonlySet<string>> {
    const found = new Set<string>()
    const add = (other: string) => void found.add(other)
    answers.add(add)
    post({ ask: tab })
    await new Promise((resolve) => setTimeout(resolve, ANSWERS_MS))
    answers.delete(add)
    return found
  }

  return { living }
}
