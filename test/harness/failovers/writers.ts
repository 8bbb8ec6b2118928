import { setTimeout as pause } from 'node:timers/promises'
import { httpClient } from '../../support/client.ts'

/** A write that was acknowledged. */
export type Acknowledged = { title: string; server: 'old' | 'new'; sentAt: number; at: number }

const PATIENCE_MS = 3000

type Options = { count: number; token: string; urls: Record<'old' | 'new', string | undefined> }

/**
 * Clients that create deals one after the other. Half of them try the other server whenever one refuses, as behind a proxy;
 * the others stay with the old one, which must not acknowledge anything once it was replaced.
 */
export function startWriters({ count, token, urls }: Options) {
  const acknowledged: Acknowledged[] = []
  const client = httpClient()
  const refusals = new Map<string, number>()
  let isEnding = false
  let number = 0

  async function write(writer: number): Promise<void> {
    const isLoyal = writer % 2 === 1
    let server: 'old' | 'new' = 'old'
    while (!isEnding) {
      const title = `Deal ${writer}-${++number}`
      const sentAt = performance.now()
      const status = await post(urls[server], title)
      if (status === '201') acknowledged.push({ title, server, sentAt, at: performance.now() })
      else {
        refusals.set(`${server} ${status}`, (refusals.get(`${server} ${status}`) ?? 0) + 1)
        if (!isLoyal && urls.new) server = server === 'old' ? 'new' : 'old'
        await pause(20)
      }
      await pause(5)
    }
  }

  async function post(base: string | undefined, title: string): Promise<string> {
    if (!base) return 'no address'
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const sent = client.send(`${base}/api/v1/deals`, { method: 'POST', headers, body: JSON.stringify({ title }) })
    const answer = await Promise.race([sent.catch(() => undefined), pause(PATIENCE_MS)])
    if (!answer) return 'no answer'
    return answer.status === 201 ? '201' : `${answer.status} ${JSON.parse(answer.text || '{}').code}`
  }

  const all = Promise.all(Array.from({ length: count }, (_, writer) => write(writer)))
  return {
    acknowledged,
    refusals,
    end: async (): Promise<void> => {
      isEnding = true
      await all
      client.stop()
    },
  }
}

/** The titles of all deals that a server has. */
export async function titlesAt(base: string, token: string): Promise<Set<string>> {
  const client = httpClient()
  const titles = new Set<string>()
  let next: string | undefined = `${base}/api/v1/deals?limit=100`
  while (next) {
    const headers = { authorization: `Bearer ${token}` }
    const answer = await client.send(next, { method: 'GET', headers, body: undefined })
    if (answer.status !== 200) throw new Error(`the deals cannot be read: ${answer.status} ${answer.text}`)
    const found: { data: { title: string }[]; next_cursor: string | null } = JSON.parse(answer.text)
    for (const { title } of found.data) titles.add(title)
    next =
      found.next_cursor === null
        ? undefined
        : `${base}/api/v1/deals?limit=100&cursor=${encodeURIComponent(found.next_cursor)}`
  }
  client.stop()
  return titles
}
