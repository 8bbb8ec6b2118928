import type { Server } from './server.ts'

// The link in a mail of a sequence, as people and their mail programs use it.

const ONE_CLICK = 'List-Unsubscribe=One-Click'

/** So many times it is called for one link that is followed: somebody has to be left to write to. */
const SELDOM = 2

/** Follows the newest of the links that came with mails, now and then, and each once; answers what was wrong with it. */
export function unsubscribing({ sink, unsubscribeUrl: url }: Server) {
  let calls = 0

  async function ask(token: string, method: 'GET' | 'POST'): Promise<number> {
    const form = { method, body: ONE_CLICK, headers: { 'Content-Type': 'application/x-www-form-urlencoded' } }
    const { status, body } = await fetch(url + token, method === 'POST' ? form : {})
    await body?.cancel()
    return status
  }

  return async (): Promise<string[]> => {
    const token = calls++ % SELDOM === 0 ? sink.links.pop() : undefined
    if (token === undefined) return []
    const other = (token.startsWith('A') ? 'B' : 'A') + token.slice(1)
    const due: [string, 'GET' | 'POST', number][] = [
      [token, 'GET', 200],
      [other, 'POST', 404],
      [token, 'POST', 200],
      [token, 'POST', 200], // some programs ask twice
    ]
    const said: string[] = []
    for (const [each, method, status] of due) {
      const answered = await ask(each, method)
      if (answered !== status) said.push(`${answered} instead of ${status} for ${method} of ${each}`)
    }
    return said
  }
}
