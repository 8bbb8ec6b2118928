import { sayWhy } from '../../../components/say-why.ts'
import { showToast } from '../../../components/toast.tsx'
import { ApiProblem, NoAnswer } from '../../../data/api.ts'
import { explain } from '../../../data/browser.ts'
import { client } from '../../../data/current.ts'
import { ECHO, isOwn, MEMBER, newEcho } from '../../../data/headers.ts'
import { base } from '../../../lib/base.ts'
import { offerLocal } from '../../../shell/steps/local.ts'
import { texts } from '../texts.ts'
import { entryOf, pathOf, restore, take } from './data.ts'
import type { Transcript } from './types.ts'

const MAX_BYTES = 8 * 1_048_576
export const ENDINGS = '.vtt,.srt'

/** Takes a caption file as the transcript of a meeting, in place of the one that is there. What was there can be brought back. */
export async function takeFile(meeting: string, file: File): Promise<void> {
  const words = texts()
  if (!/\.(?:vtt|srt)$/i.test(file.name)) return refuse(words.noCaptions(file.name))
  if (file.size > MAX_BYTES) return refuse(words.tooLarge)
  const before = entryOf(meeting).value.peek() ?? null
  try {
    const saved = await send(meeting, file)
    take(meeting, saved)
    const mended = saved.mended?.length ?? 0
    const said = words.uploaded(saved.segments.length, mended)
    offerLocal(said, () => (before ? restore(meeting, before, saved.version) : drop(meeting)))
  } catch (error) {
    refuse(whyNot(file, error))
  }
}

/** The server names the line of the file that it cannot read. */
function whyNot({ name }: File, error: unknown): string {
  if (!(error instanceof ApiProblem) || error.code !== 'malformed_captions') return sayWhy(error)
  return texts().badFile(name, /^Line (\d+)/.exec(error.detail)?.[1] ?? '1')
}

const refuse = (text: string): void => void showToast({ kind: 'error', text })

/** Removes the transcript of a meeting; it can be brought back as long as this page knows it. */
export async function removeTranscript(meeting: string): Promise<void> {
  const before = entryOf(meeting).value.peek()
  if (!before) return
  try {
    await drop(meeting)
    offerLocal(texts().transcriptRemoved, () => restore(meeting, before, 0))
  } catch (error) {
    refuse(sayWhy(error))
  }
}

async function drop(meeting: string): Promise<void> {
  await client().api.request('DELETE', pathOf(meeting))
  take(meeting, null)
}

async function send(meeting: string, file: File): Promise<Transcript & { mended?: string[] }> {
  const echo = newEcho()
  const form = new FormData()
  form.append('file', file, file.name)
  let answer: Response
  try {
    answer = await fetch(base + pathOf(meeting), {
      method: 'PUT',
      headers: { Accept: 'application/json', [ECHO]: echo, [MEMBER]: client().member },
      body: form,
    })
  } catch (error) {
    throw new NoAnswer('The server could not be reached.', { cause: error })
  }
  if (!isOwn(answer.headers, echo)) throw new NoAnswer('Something in front of Dealbox answered.')
  const body = await answer.json()
  if (answer.ok) return body
  const problem = new ApiProblem(answer.status, body)
  await explain(problem)
  throw problem
}
