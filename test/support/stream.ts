import { type IncomingMessage, request } from 'node:http'

// biome-ignore lint/suspicious/noExplicitAny: tests look into JSON of every shape
type Body = any
export type Message = { event: string; id: string | undefined; data: Body }
export type Reader = Awaited<ReturnType<typeof readStream>>

/** Opens a stream of server-sent events and collects its messages; with `paused` it reads nothing until `resume`. */
export async function readStream(url: string, headers: Record<string, string>, { paused = false } = {}) {
  const messages: Message[] = []
  const waiting = new Set<() => void>()
  let comments = 0
  let rest = ''
  let isEnded = false
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, { headers, agent: false }, resolve).on('error', reject).end()
  })
  const changed = () => {
    for (const check of [...waiting]) check()
  }
  response.setEncoding('utf8')
  response.on('close', () => {
    isEnded = true
    changed()
  })
  response.on('error', () => undefined)
  const read = () =>
    response.on('data', (text: string) => {
      const parts = (rest + text).split('\n\n')
      rest = parts.pop() as string
      for (const part of parts) take(part)
      changed()
    })
  if (!paused) read()

  function take(part: string): void {
    if (part.startsWith(':')) return void comments++
    const fields = Object.fromEntries(part.split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2)))
    messages.push({ event: fields.event ?? 'message', id: fields.id, data: JSON.parse(fields.data) })
  }

  /** Resolves when the condition holds. Rejects if the stream ends before. */
  function until(condition: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const check = () => {
        const holds = condition()
        if (!holds && !isEnded) return
        waiting.delete(check)
        if (holds) resolve()
        else reject(new Error(`the stream ended after ${JSON.stringify(messages.at(-1))}`))
      }
      waiting.add(check)
      check()
    })
  }

  const events = () => messages.filter(({ event }) => event === 'message').map(({ data }) => data)
  return {
    status: response.statusCode,
    headers: response.headers,
    messages,
    events,
    seqs: (): number[] => events().map(({ seq }) => seq),
    notices: (kind: string): Body[] =>
      messages.filter(({ event, data }) => event === 'notice' && data.kind === kind).map(({ data }) => data),
    comments: () => comments,
    /** Whether it ended in order, instead of being cut. */
    isComplete: (): boolean => response.complete,
    until,
    ended: () => until(() => isEnded),
    resume: read,
    close: () => response.destroy(),
  }
}
