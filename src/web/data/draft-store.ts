import { type Signal, signal } from '@preact/signals'
import { type Api, ApiProblem } from './api.ts'
import type { Timers } from './timers.ts'
import type { Fields } from './types.ts'

/** Texts kept in this browser, by key: localStorage, where there is one. */
export type LocalTexts = {
  get(key: string): string | null
  set(key: string, text: string): void
  remove(key: string): void
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
type Known = Draft & { save: () => Promise<void> }

const DEBOUNCE_MS = 800

/** Drafts, kept on the server so that they wait on any screen of the member, and in this browser until they are. */
export function draftStore({ api, timers, local, member }: Parts) {
  const drafts = new Map<string, Known>()

  /** `key` is what the draft is for, such as `note:deals:ID`: letters, digits, `:`, `.`, `_` and `-`. */
  function draft(key: string): Draft {
    const found = drafts.get(key) ?? make(key)
    drafts.set(key, found)
    return found
  }

  function make(key: string): Known {
    const place = `draft/${member}/${key}`
    const path = `/app/drafts/${key}`
    const unsaved = local.get(place)
    const body = signal<Fields | undefined>(unsaved === null ? undefined : (JSON.parse(unsaved) as Fields))
    const isLoaded = signal(unsaved !== null)
    const isKept = signal(unsaved === null)
    let stopTimer: (() => void) | undefined

    if (unsaved === null) void load()
    else void save()

    async function load(): Promise<void> {
      try {
        const found = await api.get<{ body: Fields }>(path)
        if (!isLoaded.peek()) body.value = found.body
      } catch (error) {
        if (!(error instanceof ApiProblem && error.status === 404)) return
      }
      isLoaded.value = true
    }

    function set(typed: Fields): void {
      body.value = typed
      isLoaded.value = true
      isKept.value = false
      local.set(place, JSON.stringify(typed))
      stopTimer?.()
      stopTimer = timers.after(DEBOUNCE_MS, () => void save())
    }

    /** What fails is tried again when the connection is back, or on the next visit. */
    async function save(): Promise<void> {
      stopTimer?.()
      if (isKept.peek()) return
      const sent = body.peek()
      try {
        if (sent) await api.request('PUT', path, { body: { body: sent } })
        else await api.request('DELETE', path)
      } catch {
        return
      }
      if (body.peek() !== sent) return // typed on meanwhile
      isKept.value = true
      local.remove(place)
    }

    function clear(): void {
      body.value = undefined
      isLoaded.value = true
      isKept.value = false
      local.remove(place)
      void save()
    }

    return { body, isLoaded, isKept, set, clear, save }
  }

  /** Saves what has not been saved. */
  async function saveAll(): Promise<void> {
    await Promise.all([...drafts.values()].map(({ save }) => save()))
  }

  return { draft, saveAll }
}

/** For browsers without localStorage. */
export function memoryTexts(): LocalTexts {
  const texts = new Map<string, string>()
  return {
    get: (key) => texts.get(key) ?? null,
    set: (key, text) => void texts.set(key, text),
    remove: (key) => void texts.delete(key),
  }
}
