import { get } from 'node:http'
import type { Send } from './http.ts'

const EMAIL = 'bench@example.com'
const PASSWORD = 'a lake in the north of the country'
const MANY = 3
const SHORTEST_MS = 3000
const LONGEST_MS = 40_000

/**
 * Browsers of a member: they sign in by a password, since a session ends after twelve hours of the short days without a
 * request, and after a month of them; and each opens a stream of events, which it leaves as a browser is closed.
 */
export function visitors(screens: string, send: Send) {
  let cookie: string | undefined
  let signing: Promise<void> | undefined
  let events = 0
  let signedIn = 0
  let isOver = false
  const open = new Set<{ destroy: () => void }>()
  const timers = new Set<NodeJS.Timeout>()
  const own = { origin: screens }

  /** With the link that the owner is given, to have a password from then on. */
  async function arrive(link: string): Promise<void> {
    const token = new URL(link).hash.slice(1) || link.split('/').at(-1)
    const accepted = await send('POST', `${screens}/app/links/accept`, own, { token })
    if (accepted.status !== 200 || !accepted.cookie) throw new Error(`signing in by the link: ${accepted.text}`)
    const changed = await send(
      'POST',
      `${screens}/app/password`,
      { ...own, cookie: accepted.cookie },
      { new: PASSWORD },
    )
    if (changed.status !== 204) throw new Error(`setting a password: ${changed.text}`)
    await signIn()
  }

  async function signIn(): Promise<void> {
    const answer = await send('POST', `${screens}/app/login`, own, { email: EMAIL, password: PASSWORD })
    if (!answer.cookie) throw new Error(`signing in: ${answer.status} ${answer.text}`)
    cookie = answer.cookie
    signedIn++
  }

  /** Signs in anew, once for all requests that were refused meanwhile. */
  function again(): Promise<void> {
    signing ??= signIn().finally(() => {
      signing = undefined
    })
    return signing
  }

  function later(ms: number, job: () => void): void {
    const timer = setTimeout(() => {
      timers.delete(timer)
      if (!isOver) job()
    }, ms)
    timers.add(timer)
  }

  function come(): void {
    const req = get(`${screens}/app/stream`, { agent: false, headers: { cookie: cookie ?? '' } }, (res) => {
      if (res.statusCode === 401) again().catch(() => undefined)
      res.setEncoding('utf8').on('data', (text: string) => {
        events += text.split('\nid: ').length - 1
      })
      res.on('error', () => undefined)
    })
    open.add(req)
    req.on('error', () => undefined)
    req.once('close', () => {
      open.delete(req)
      later(1000 + Math.random() * 4000, come)
    })
    later(SHORTEST_MS + Math.random() * (LONGEST_MS - SHORTEST_MS), () => req.destroy())
  }

  return {
    arrive,
    again,
    come: () => {
      for (let n = 0; n < MANY; n++) come()
    },
    cookie: () => cookie ?? '',
    counts: () => ({ events, signedIn }),
    stop: () => {
      isOver = true
      for (const timer of timers) clearTimeout(timer)
      for (const each of open) each.destroy()
    },
  }
}

export type Visitors = ReturnType<typeof visitors>
