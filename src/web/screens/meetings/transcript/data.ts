import { batch, type Signal, signal } from '@preact/signals'
import { sayWhy } from '../../../components/say-why.ts'
import { showToast } from '../../../components/toast.tsx'
import { ApiProblem } from '../../../data/api.ts'
import { client } from '../../../data/current.ts'
import { offerLocal } from '../../../shell/steps/local.ts'
import { talkTimes } from './speakers.ts'
import type { Transcript } from './types.ts'

// The transcript of the meeting on the page: the whole of it is read once, so that searching and jumping need no server.

type Said = Pick<Transcript, 'language' | 'source' | 'speakers' | 'segments'>

export type Entry = {
  /** null if the meeting has none, undefined while it is not known. */
  value: Signal<Transcript | null | undefined>
  error: Signal<unknown>
  /** One write after the other: each is of the version before it. */
  last: Promise<unknown>
}

let current: { meeting: string; entry: Entry } | undefined

/** That of one meeting is kept: 20,000 segments have some 4 MB. */
export function entryOf(meeting: string): Entry {
  if (current?.meeting !== meeting) {
    const entry: Entry = { value: signal(undefined), error: signal(undefined), last: Promise.resolve() }
    current = { meeting, entry }
  }
  return current.entry
}

export async function loadTranscript(meeting: string): Promise<void> {
  const { value, error } = entryOf(meeting)
  try {
    const found = await client().api.get<Transcript>(`/app/meetings/${meeting}/transcript`)
    batch(() => {
      value.value = found
      error.value = undefined
    })
  } catch (failure) {
    if (failure instanceof ApiProblem && failure.status === 404) value.value = null
    else error.value = failure
  }
}

/** Takes what the server has stored, as after an upload. */
export const take = (meeting: string, next: Transcript | null): void => {
  entryOf(meeting).value.value = next
}

/**
 * Changes who says what: it shows at once, is written after what was changed before, and can be taken back. If somebody else has
 * changed the transcript since it was read, it is refused, and theirs is shown.
 */
export function change(meeting: string, said: string, edit: (before: Transcript) => Transcript): void {
  const entry = entryOf(meeting)
  const before = entry.value.peek()
  if (!before) return
  const next = withTalkTimes(edit(before))
  entry.value.value = next
  void write(meeting, next)
  offerLocal(said, () => {
    const now = entry.value.peek()
    if (now) restore(meeting, before, now.version)
  })
}

/** Puts a former content back, as the newest version. */
export function restore(meeting: string, before: Transcript, version?: number): Promise<void> {
  const entry = entryOf(meeting)
  const next = { ...before, version: version ?? entry.value.peek()?.version ?? 0 }
  entry.value.value = next
  return write(meeting, next)
}

function write(meeting: string, next: Transcript): Promise<void> {
  const entry = entryOf(meeting)
  const job = entry.last.then(async () => {
    const version = stored.get(meeting) ?? next.version
    try {
      const body = bodyOf(next)
      const asked = version > 0 ? { body, version } : { body }
      const { body: saved } = await client().api.request<Transcript>('PUT', pathOf(meeting), asked)
      stored.set(meeting, saved.version)
      // What was changed meanwhile is on its way, and stays on the page.
      if (entry.value.peek() === next) entry.value.value = saved
    } catch (error) {
      stored.delete(meeting)
      showToast({ kind: 'error', text: sayWhy(error) })
      await loadTranscript(meeting)
    }
  })
  entry.last = job
  void job.finally(() => {
    if (entry.last === job) stored.delete(meeting)
  })
  return job
}

/** The version that the server has, while writes are on their way. */
const stored = new Map<string, number>()

export const pathOf = (meeting: string): string => `/api/v1/meetings/${meeting}/transcript`

function bodyOf({ language, source, speakers, segments }: Said) {
  return {
    language,
    source,
    speakers: speakers.map(({ key, name, member_id, contact_id }) => ({ key, name, member_id, contact_id })),
    segments: segments.map(({ speaker, start_ms, end_ms, text }) => ({ speaker, start_ms, end_ms, text })),
  }
}

function withTalkTimes(given: Transcript): Transcript {
  const talks = talkTimes(given.segments)
  return { ...given, speakers: given.speakers.map((each) => ({ ...each, talk_ms: talks.get(each.key) ?? 0 })) }
}
