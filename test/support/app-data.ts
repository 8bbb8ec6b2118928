import assert from 'node:assert/strict'
import type { Row } from './records.ts'
import { recordsOf } from './records.ts'
import { startScreens } from './screens.ts'
import { startServer } from './server.ts'

export type Person = 'owner' | 'admin' | 'member' | 'viewer' | 'other' | 'stranger'
export type AppServer = Awaited<ReturnType<typeof startApp>>

/**
 * A server with the screens, where these are signed in: Ana, the owner of organisation A; a member with each other
 * role, and a second one with the role `member` (`other`); and the owner of B (`stranger`). `call` acts as Ana by the
 * API.
 */
export async function startApp() {
  const server = await startServer()
  const screens = await startScreens(server)
  const people = {
    owner: await screens.signedIn({ id: server.a.owner }),
    admin: await screens.signedIn('admin'),
    member: await screens.signedIn('member'),
    viewer: await screens.signedIn('viewer'),
    other: await screens.signedIn('member'),
    stranger: await screens.signedIn({ id: server.b.owner }, server.b),
  }
  const ids = Object.fromEntries(Object.entries(people).map(([name, { id }]) => [name, id])) as Record<Person, string>

  const ask = (person: Person, method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    people[person].call(method, `/app${path}`, body, headers)

  /** Asks, and fails the test unless the answer is a success. */
  async function ok(person: Person, method: string, path: string, body?: unknown): Promise<Row> {
    const answer = await ask(person, method, path, body)
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`)
    return answer.body
  }

  /** Time passes, after which everybody signs in again: sessions end by themselves. */
  async function pass(ms: number): Promise<void> {
    server.advance(ms)
    for (const [name, { id }] of Object.entries(people))
      people[name as Person] = await screens.signedIn({ id }, name === 'stranger' ? server.b : server.a)
  }

  /** Who got another role is signed out. */
  const signIn = (id: string) => screens.signedIn({ id })

  async function stop(): Promise<void> {
    await screens.stop()
    await server.stop()
  }

  return { ...server, ...recordsOf(() => server), screensUrl: screens.url, people, ids, ask, ok, pass, signIn, stop }
}
