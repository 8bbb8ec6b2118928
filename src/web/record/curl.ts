import { signal } from '@preact/signals'
import type { PageKind } from '../components/kinds.ts'
import { showToast } from '../components/toast.tsx'
import { boot } from '../data/boot.ts'
import { record } from '../data/records.ts'
import type { Rec } from '../data/types.ts'
import { valueAt } from '../data/values.ts'
import { copyText } from '../lib/clipboard.ts'
import { patchText, readText } from './curl-text.ts'
import { texts } from './texts.ts'
import { timelineOf } from './timeline/timeline-data.ts'

/** A text that the browser did not let the page copy, for copying by hand. */
export const byHand = signal<string | null>(null)

/** Copies the request that reads the record. */
export const copyRecord = (kind: PageKind, id: string): Promise<void> =>
  copy(readText(askedFor(kind, id)), texts().curlCopied)

/** Copies the request that would make the last change of the record again. */
export async function copyLastChange(kind: PageKind, id: string): Promise<void> {
  const data = timelineOf(kind, id)
  const last = data.entries.peek().find((entry) => entry.kind === 'change' || entry.kind === 'stage')
  const now = record(kind, id).peek() as unknown as Rec | null | undefined
  if (!last || !now) return void showToast({ text: texts().noChange })
  const patch =
    last.kind === 'stage'
      ? { stage: last.stage.to_stage_id }
      : last.kind === 'change'
        ? Object.fromEntries(last.change.fields.map((name) => [name, last.change.current[name] ?? valueAt(now, name)]))
        : {}
  await copy(patchText(askedFor(kind, id), patch), texts().curlCopied)
}

/** The address of the page takes the sessions of browsers only; tokens are for that of the API. */
const askedFor = (kind: PageKind, id: string) => ({ api: boot.peek().api_url, path: `/${kind}/${id}` })

/** Copies a text and says so. Where the browser forbids it, a dialog shows the text for copying by hand. */
export async function copy(text: string, said: string): Promise<void> {
  try {
    await copyText(text)
    showToast({ text: said, icon: 'copy' })
  } catch {
    byHand.value = text
  }
}
