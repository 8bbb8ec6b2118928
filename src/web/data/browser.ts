import { base } from '../lib/base.ts'
import { forgetAll, keep, kept, keptNames, setPlace, takeOver } from '../lib/kept.ts'
import { hearServer } from '../lib/server-time.ts'
import type { ApiProblem, Got, Sent } from './api.ts'
import { applyToBoot, page } from './boot.ts'
import { browserStorage } from './browser-storage.ts'
import { browserStream } from './browser-stream.ts'
import { browserTabs } from './browser-tabs.ts'
import { type Client, dataClient } from './client.ts'
import { client, setClient } from './current.ts'
import { randomKey } from './keys.ts'
import { keepBoot } from './refresh-boot.ts'
import { realTimers } from './timers.ts'
import type { Boot, SignedIn } from './types.ts'
import type { WriteStorage } from './write-storage.ts'

// What the data is connected to in a browser.

const TIMEOUT_MS = 30_000
const OLDER_MS = 3000

/** Sends to the server that the page came from, and waits so long for its answer. */
export async function send({ method, path, headers, body }: Sent, timeoutMs = TIMEOUT_MS): Promise<Got> {
  const signal = AbortSignal.timeout(timeoutMs)
  // A gate may send the page elsewhere, where it may not go: that is no lost connection.
  const init: RequestInit = { method, headers, cache: 'no-store', redirect: 'manual', signal }
  if (body !== undefined) {
    init.body = body
    // What was just chosen is saved although the page is left or loaded again at once. A browser takes 64 KiB in all so.
    init.keepalive = body.length < 4000
  }
  const answer = await fetch(base + path, init)
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

/** The words for what the server refuses come with the first refusal. */
export const explain = (problem: ApiProblem): Promise<void> =>
  import('./problems/explain.ts').then((module) => module.explain(problem)).catch(() => undefined)

/** Starts the data of the page. Called once, with what the server has put into the page. */
export function startData(boot: Boot): void {
  page.value = boot
  if (boot.signed_in) start(boot)
}

/** Without a touch for so long, a page is left to itself: what it asks for then is no use of the session. */
const IDLE_MS = 60_000
let touchedAt = Date.now()
const isIdle = (): boolean => document.hidden || Date.now() - touchedAt > IDLE_MS

/**
 * Somebody has signed in on this page. What waited of the same member's is sent now; the data of another one is let go of.
 */
export function signedIn(boot: SignedIn): void {
  const before = page.peek()
  page.value = boot
  if (before?.signed_in && before.me.id === boot.me.id) client().signedIn()
  else start(boot)
}

let stopBefore: (() => void) | undefined

function start(boot: SignedIn): void {
  stopBefore?.()
  hearServer(boot.now)
  setPlace(boot.installation)
  takeOver(boot.me.id)
  const tab = randomKey()
  async function left(): Promise<void> {
    // Else the browser asks first: something would be lost with the page.
    if (!made.isLoose())
      await import('./leaving.ts').then((module) => module.leaveNothing(made, forgetAll)).catch(() => undefined)
    location.replace(`${base}/`)
  }
  const tabs = browserTabs(
    tab,
    boot.me.id,
    () => void made.adoptWrites(),
    () => void left(),
  )
  const made: Client = dataClient({
    send,
    stream: browserStream(boot.me.id),
    timers: realTimers,
    storage: later(browserStorage()),
    localTexts: { get: kept, set: keep, remove: (key) => keep(key, null), names: keptNames },
    isIdle,
    explain,
    member: boot.me.id,
    tab,
    livingTabs: tabs.living,
    onBoot: (fresh) => {
      page.value = fresh
    },
  })
  made.events.onEvent(applyToBoot)
  keepBoot(made)
  setClient(made)
  made.start(boot.seq)
  setTimeout(() => void adoptOlder(boot.me.id, made), OLDER_MS)
  const stopListening = listen(made)
  stopBefore = () => {
    stopListening()
    made.stop()
  }
}

/** Writes that wait under another name come once the first screen is there. Without an answer the next page tries again. */
async function adoptOlder(member: string, { adoptWrites }: Client): Promise<void> {
  try {
    await (await import('./older-writes.ts')).takeOverWrites(member)
    await adoptWrites()
  } catch {
    // see above
  }
}

/** A page that was asleep, or whose network was gone, looks at once whether its stream still runs. */
function listen({ wake, stop, start, seq, presence, isLoose }: Client): () => void {
  const abort = new AbortController()
  const { signal } = abort
  const touched = () => {
    touchedAt = Date.now()
  }
  // Not the movements of a pointer: browsers make them up when the page moves under it.
  for (const type of ['keydown', 'pointerdown', 'wheel'])
    addEventListener(type, touched, { signal, capture: true, passive: true })
  const visible = () => {
    touched()
    presence.hide(document.hidden)
    if (!document.hidden) wake(false)
  }
  document.addEventListener('visibilitychange', visible, { signal })
  addEventListener('beforeunload', (event) => isLoose() && event.preventDefault(), { signal })
  addEventListener('online', () => wake(true), { signal })
  addEventListener('pagehide', ({ persisted }) => persisted || stop(), { signal })
  addEventListener('pageshow', ({ persisted }) => persisted && start(seq()), { signal })
  return () => abort.abort()
}

/** The storage opens while the page is already used. */
function later(opening: Promise<WriteStorage>): WriteStorage {
  return {
    all: async () => (await opening).all(),
    put: async (write) => (await opening).put(write),
    remove: async (key) => (await opening).remove(key),
    claim: async (write, from, to) => (await opening).claim(write, from, to),
  }
}
