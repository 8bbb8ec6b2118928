import { type Signal, signal } from '@preact/signals'
import type { DraftFile } from '../../../inbox/messages/draft-files.ts'
import { sayFailed } from '../../components/say-failed.ts'
import { sayWhy } from '../../components/say-why.ts'
import { showToast } from '../../components/toast.tsx'
import { ApiProblem, NoAnswer } from '../../data/api.ts'
import type { Client } from '../../data/client.ts'
import { client } from '../../data/current.ts'
import { texts } from './texts.ts'
import { upload } from './upload.ts'

// The files of what is being written. They are on the server, with the draft: the box shows those, and what is on its way there.

export type BoxFile = {
  key: string
  name: string
  size: number
  /** On the server. */
  id?: string
  /** How much of it has been sent, from 0 to 1. */
  share?: number
  /** Why it could not be sent. */
  error?: string
}

export type BoxFiles = ReturnType<typeof boxOf>

/** Of one message, as the server takes them. */
const MOST_BYTES = 36 * 1024 * 1024
const MOST = 100

const boxes = new WeakMap<Client, Map<string, BoxFiles>>()

/** The files of a draft, by its key. What is on its way goes on while the member looks elsewhere. */
export function boxFiles(key: string): BoxFiles {
  const here = client()
  const all = boxes.get(here) ?? new Map<string, BoxFiles>()
  if (!boxes.has(here)) {
    boxes.set(here, all)
    here.onNotice((notice) => {
      if (notice.kind === 'draft_files') void all.get(String(notice.key))?.again()
    })
    here.onReached.add(() => {
      for (const box of all.values()) void box.again()
    })
    here.keepers.add(() => [...all.values()].some((box) => box.isSending()))
  }
  const found = all.get(key) ?? boxOf(here, key)
  all.set(key, found)
  return found
}

function boxOf({ api, newKey, member }: Client, key: string) {
  const path = `/app/drafts/${key}/files`
  const files: Signal<readonly BoxFile[]> = signal([])
  const bytes = new Map<string, File>()
  /** Those that the member has taken out on their way. */
  const stops = new Map<string, () => void>()
  let turn: Promise<void> = Promise.resolve()
  /** An answer that was asked for before a newer change is not taken. */
  let round = 0

  async function again(): Promise<void> {
    round += 1
    const mine = round
    try {
      const { data } = await api.get<{ data: DraftFile[] }>(path, { isBackground: true })
      if (mine === round) show(data)
    } catch {
      // asked again with the next notice, or when the server is reached
    }
  }

  const show = (kept: readonly DraftFile[]): void => {
    files.value = [...kept.map(shownOf), ...files.peek().filter(({ id }) => id === undefined)]
  }

  const change = (of: string, given: Partial<BoxFile>): void => {
    files.value = files.peek().map((each) => (each.key === of ? { ...each, ...given } : each))
  }

  /** Takes files that were dropped, pasted or chosen, and gives their names here; what is too much is named, and not taken. */
  function add(given: readonly File[]): string[] {
    const names: string[] = []
    for (const file of given) {
      const size = files.peek().reduce((sum, each) => sum + each.size, file.size)
      if (size > MOST_BYTES || files.peek().length >= MOST) {
        showToast({ kind: 'error', text: texts().attached.tooMuch(file.name) })
        continue
      }
      const of = newKey()
      bytes.set(of, file)
      const name = freeName(file.name)
      names.push(name)
      files.value = [...files.peek(), { key: of, name, size: file.size, share: 0 }]
      sendInTurn(of)
    }
    return names
  }

  /** Pictures from the clipboard all have one name. */
  function freeName(name: string): string {
    const taken = new Set(files.peek().map((each) => each.name))
    const [, stem = name, end = ''] = /^(.+?)(\.[^.]*)?$/.exec(name) ?? []
    for (let number = 2; taken.has(name); number++) name = `${stem}-${number}${end}`
    return name
  }

  function sendInTurn(of: string): void {
    turn = turn.then(() => sendOne(of))
  }

  async function sendOne(of: string): Promise<void> {
    const shown = files.peek().find((each) => each.key === of)
    const file = bytes.get(of)
    if (!shown || !file) return
    const sending = upload({ path, file, name: shown.name, key: of, member, onShare: (share) => change(of, { share }) })
    stops.set(of, sending.stop)
    try {
      const made = await sending.done
      round += 1
      bytes.delete(of)
      // A notice may have brought it already.
      const isThere = files.peek().some(({ id }) => id === made.id)
      files.value = files.peek().flatMap((each) => (each.key !== of ? [each] : isThere ? [] : [shownOf(made)]))
    } catch (error) {
      change(of, { error: sayWhy(error) })
    } finally {
      stops.delete(of)
    }
  }

  /** Tries one again that failed. The same key: if it arrived after all, it is there once. */
  function retry({ key: of }: BoxFile): void {
    files.value = files
      .peek()
      .map(({ error, ...each }) => (each.key === of ? { ...each, share: 0 } : { ...each, ...(error ? { error } : {}) }))
    sendInTurn(of)
  }

  async function remove({ key: of, id }: BoxFile): Promise<void> {
    round += 1
    files.value = files.peek().filter((each) => each.key !== of)
    bytes.delete(of)
    stops.get(of)?.()
    if (id === undefined) return
    try {
      await api.request('DELETE', `${path}/${id}`)
    } catch (error) {
      if (!(error instanceof ApiProblem && error.status === 404)) sayFailed(texts().attached.notRemoved, error)
      await again()
    }
  }

  /** All of it goes with the draft; for a while it can be brought back. */
  async function discard(): Promise<void> {
    for (const { key: of, id } of files.peek()) if (id === undefined) stops.get(of)?.()
    bytes.clear()
    forget()
    await api.request('DELETE', path).catch(() => again())
  }

  async function bringBack(): Promise<void> {
    await api.request('POST', `${path}/restore`)
    await again()
  }

  /** Those of a message, such as one that is passed on. Throws. */
  async function takeFrom(message_id: string): Promise<void> {
    const { body } = await api.request<{ data: DraftFile[] }>('POST', `${path}/copy`, { body: { message_id } })
    round += 1
    show(body.data)
  }

  /** They have left with a message. */
  function forget(): void {
    round += 1
    files.value = []
  }

  /** The ids of all in the box, once they have arrived. Throws NotArrived with the name of one that has not. */
  async function arrived(): Promise<string[]> {
    for (let before: Promise<void> | undefined; before !== turn; ) {
      before = turn
      await before
    }
    const missing = files.peek().find(({ id }) => id === undefined)
    if (missing) throw new NotArrived(missing.name)
    return files.peek().map(({ id }) => id as string)
  }

  const isSending = (): boolean => files.peek().some(({ id, error }) => id === undefined && error === undefined)

  void again()
  return { key, files, add, retry, remove, discard, bringBack, takeFrom, forget, arrived, again, isSending, path }
}

const shownOf = ({ id, name, size_bytes }: DraftFile): BoxFile => ({ key: id, id, name, size: size_bytes })

/** A file is not on the server: what it belongs to is not sent. Its message is the name. */
export class NotArrived extends NoAnswer {
  override readonly name = 'NotArrived'
}
