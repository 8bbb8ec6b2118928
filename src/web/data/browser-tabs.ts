import { nameHere } from '../lib/kept.ts'

// The tabs of this browser know of each other through a BroadcastChannel, so that each write is sent by one of them.

type Message = { ask: string } | { answer: string } | { bye: string } | { left: string }

/** A tab at work answers late; one that counted as closed would lose its forms to another. */
const ANSWERS_MS = 1000

const open = () => new BroadcastChannel(nameHere('tabs'))

/** Says to all tabs that the member has signed out: their pages go. */
export const sayLeft = (member: string): void => open().postMessage({ left: member } satisfies Message)

/** `onBye` is called when another tab closes: it may have left writes behind; `onLeft` when the member signs out there. */
export function browserTabs(tab: string, member: string, onBye: () => void, onLeft: () => void) {
  const channel = open()
  const answers = new Set<(tab: string) => void>()
  const post = (message: Message) => channel.postMessage(message)

  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if ('ask' in data) post({ answer: tab })
    else if ('bye' in data) onBye()
    else if ('left' in data) data.left === member && onLeft()
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
