import { type Signal, signal } from '@preact/signals'
import { type Api, ApiProblem } from './api.ts'
import { mergeDrafts } from './merge-drafts.ts'
import type { Timers } from './timers.ts'
import type { Fields } from './types.ts'
import { same } from './values.ts'

/** Texts kept in this browser, by key: localStorage, where there is one. */
export type LocalTexts = {
  get(key: string): string | null
  /** Returns false if it cannot be kept. */
  set(key: string, text: string): boolean
  remove(key: string): void
  /** The keys with this in them. */
  names(part: string): string[]
}

/** A text that has been begun. */
export type Draft = {
  /** What was typed; undefined if there is nothing. */
  body: Signal<Fields | undefined>
  /** Whether the server has answered: before that there may still come something. */
  isLoaded: Signal<boolean>
  /** Whether the server has all of it. */
  isKept: Signal<boolean>
  set(body: Fields): void
  /** The text was sent or thrown away. */
  clear(): void
}

type Parts = { api: Api; timers: Timers; local: LocalTexts; member: string }
type Known = Draft & {
  settle: () => Promise<void>
  /** Notices of other pages may have been missed. */
  missed: () => void
  /** Takes over what another tab of this browser has left here. */
  adopt: () => void
  /** Another page may have written it: the version that it has now. */
  changed: (version: number) => void
  /** It is in this page only. */
  isLoose: () => boolean
}
type Body = Fields | undefined
type Stored = { body: Fields | null; version: number }

const DEBOUNCE_MS = 800
/** What several pages write by turns is merged; after so many times in a row they let each other write for a moment. */
const MERGES = 3
const TURN_MS = 5000

/**
 * Drafts, kept on the server so that they wait on any screen of the member, and in this browser until they are. Two tabs may
 * write the same one: each says which version its text follows, and what both have written stays.
 */
export function draftStore({ api, timers, local, member }: Parts) {
  const drafts = new Map<string, Known>()

  /** `key` is what the draft is for, such as `note:deals:ID`: letters, digits, `:`, `.`, `_` and `-`. */
  const draft = (key: string): Draft => known(key)

  function known(key: string): Known {
    const found = drafts.get(key) ?? make(key)
    drafts.set(key, found)
    return found
  }

  function make(key: string): Known {
    const place = `draft/${member}/${key}`
    const path = `/app/drafts/${key}`
    const left = parsed(local.get(place))
    /** Something shows it, and another page may have written it unheard: then it is read again. */
    let [isWatched, isOld] = [false, false]
    const body = signal<Body>(left?.body ?? undefined, { watched: () => watch(true), unwatched: () => watch(false) })
    const isLoaded = signal(left !== undefined)
    const isKept = signal(left === undefined)
    /** What the server has, as far as this page knows, and the version that the text here follows. */
    let base: Stored | undefined
    let seen = left?.seen
    /** What this page has last put into the browser: anything else there is of another tab. */
    let own = local.get(place)
    let stopTimer: (() => void) | undefined
    let turn = Promise.resolve()
    let isHere = true

    /** Reads what the server has, and merges it with what was typed here. Throws without an answer. */
    async function read(isBackground = false): Promise<void> {
      takeIn(await api.get<Stored>(path, { isBackground }))
    }

    function takeIn(found: Stored): void {
      // After a reload only the version of what it follows is known, which is enough if nobody else has written.
      const before = base?.body ?? (found.version === seen ? found.body : null)
      const theirs = found.body ?? undefined
      base = found
      seen = found.version
      const isMine = !isKept.peek()
      show(isMine ? mergeDrafts(before ?? undefined, body.peek(), theirs) : theirs)
      // Last: who waits for it looks at the text then.
      isLoaded.value = true
      if (!isMine) return
      if (same(body.peek(), theirs)) settled()
      else keepHere()
    }

    const show = (next: Body) => {
      if (!same(body.peek(), next)) body.value = next
    }

    function set(typed: Fields): void {
      take(typed)
      saveIn(DEBOUNCE_MS)
    }

    function saveIn(ms: number): void {
      stopTimer?.()
      stopTimer = timers.after(ms, () => void save())
    }

    /** A draft that was taken away is kept as such, or that of the server would come back. */
    function take(typed: Body): void {
      body.value = typed
      isKept.value = false
      keepHere()
    }

    /** What another tab of this browser has typed and could not send either. */
    function takeOver(): void {
      const there = local.get(place)
      if (there === null || there === own) return
      const other = parsed(there)
      if (!other?.body) return
      // What this page knows is what the other text was written on only if that has seen the same version.
      const before = base && other.seen === base.version ? base.body : null
      show(mergeDrafts(before ?? undefined, body.peek(), other.body))
    }

    function keepHere(): void {
      takeOver()
      own = JSON.stringify({ body: body.peek() ?? null, seen })
      isHere = local.set(place, own)
    }

    function settled(): void {
      isKept.value = true
      // Another tab may have put there what nobody else has.
      if (local.get(place) === own) local.remove(place)
      own = null
    }

    /** One request at a time, so that neither an older text nor an older answer comes after a newer one. */
    function inTurn(job: () => Promise<void>): Promise<void> {
      turn = turn.then(job).catch(() => undefined) // what fails is tried again when the connection is back, or on the next visit
      return turn
    }

    function save(): Promise<void> {
      stopTimer?.()
      return inTurn(send)
    }

    async function send(): Promise<void> {
      for (let tries = 0; tries < MERGES && !isKept.peek(); tries++) {
        if (!base) await read()
        if (await put()) return
        await read()
      }
      if (!isKept.peek()) saveIn(TURN_MS)
    }

    /** Sends what is not kept, and reads what is not known, or what another page may have written unheard. */
    async function look(): Promise<void> {
      if (!isKept.peek()) return send()
      if (base && !(isOld && isWatched)) return
      isOld = false // from here on: what is missed during the reading makes it old again
      await read(base !== undefined).catch((error) => {
        isOld = true
        throw error
      })
    }

    /** False if somebody else has written it since. */
    async function put(): Promise<boolean> {
      if (isKept.peek()) return true
      const sent = body.peek()
      const version = base?.version
      try {
        if (sent) base = (await api.request<Stored>('PUT', path, { body: { body: sent }, version })).body
        else {
          await api.request('DELETE', path, { version })
          base = { body: null, version: NONE }
        }
      } catch (error) {
        if (error instanceof ApiProblem && error.status === 412) return false
        throw error
      }
      seen = base.version
      // Typed on meanwhile: the timer is set for it.
      if (body.peek() === sent) settled()
      return true
    }

    function clear(): void {
      take(undefined)
      void save()
    }

    const settle = () => (isKept.peek() ? inTurn(look) : save())
    function watch(is: boolean): void {
      isWatched = is
      if (is && isOld) void settle()
    }
    const missed = () => {
      isOld = true
    }
    const adopt = () => {
      const there = local.get(place)
      if (there === own || !parsed(there)?.body) return
      take(body.peek())
      saveIn(DEBOUNCE_MS) // also if nobody leaves in the end
    }
    const changed = (version: number) =>
      void inTurn(async () => {
        if (version !== base?.version) await read(true)
      })
    void settle()
    return {
      body,
      isLoaded,
      isKept,
      set,
      clear,
      settle,
      changed,
      missed,
      adopt,
      isLoose: () => !isHere && !isKept.peek(),
    }
  }

  /** Saves what has not been saved, and reads what could not be read, or what another page may have written unheard. */
  async function saveAll(): Promise<void> {
    await Promise.all([...drafts.values()].map(({ settle }) => settle()))
  }

  /** Notices of other pages may have been missed. */
  function missed(): void {
    for (const each of drafts.values()) each.missed()
  }

  /** What was begun and is not on the server, by this page or by another tab of this browser. */
  function unsaved(): Fields[] {
    const start = `draft/${member}/`
    for (const place of local.names(start)) known(place.slice(place.indexOf(start) + start.length)).adopt()
    const begun = [...drafts.values()].filter(({ isKept }) => !isKept.peek()).map(({ body }) => body.peek())
    return begun.filter((body) => body !== undefined)
  }

  const isLoose = (): boolean => [...drafts.values()].some((each) => each.isLoose())
  /** A notice of the server: a page of the member has changed a draft. */
  const changed = (key: string, version: number) => drafts.get(key)?.changed(version)

  return { draft, saveAll, missed, unsaved, isLoose, changed }
}

/** The version of a draft that is not there. */
const NONE = 1

type Left = { body: Fields | null; seen?: number | undefined }

/** A null body is that of a draft that was taken away; undefined without any, and for what is none. */
function parsed(text: string | null): Left | undefined {
  try {
    const found = text === null ? undefined : JSON.parse(text)
    // An earlier version of the app has kept the body alone.
    return found === undefined || (found !== null && 'body' in found) ? found : { body: found }
  } catch {
    return undefined
  }
}

/** For browsers without localStorage. */
export function memoryTexts(): LocalTexts {
  const texts = new Map<string, string>()
  return {
    get: (key) => texts.get(key) ?? null,
    set: (key, text) => texts.set(key, text) === texts,
    remove: (key) => void texts.delete(key),
    names: (part) => [...texts.keys()].filter((key) => key.includes(part)),
  }
}
