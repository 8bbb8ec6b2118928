import { signal } from '@preact/signals'
import { record } from '../../data/records.ts'
import type { Rec } from '../../data/types.ts'
import { valueAt } from '../../data/values.ts'
import { copyText } from '../../lib/clipboard.ts'
import { showToast } from '../toast.tsx'
import type { PageKind } from './kinds.ts'
import { texts } from './texts.ts'
import { timelineOf } from './timeline/timeline-data.ts'

/** A text that the browser did not let the page copy, for copying by hand. */
export const byHand = signal<string | null>(null)

/** Copies the request that reads the record. The token is that of whoever runs it. */
export const copyRecord = (kind: PageKind, id: string): Promise<void> =>
  copy(`curl ${quoted(addressOf(kind, id))} \\\n  -H ${TOKEN}`, texts().curlCopied)

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
  const lines = [
    `curl -X PATCH ${quoted(addressOf(kind, id))}`,
    `-H ${TOKEN}`,
    `-H 'Content-Type: application/json'`,
    `-d ${quoted(JSON.stringify(patch))}`,
  ]
  await copy(lines.join(' \\\n  '), texts().curlCopied)
}

// Unquoted by the shell, so that it puts the token in.
const TOKEN = `"Authorization: Bearer $DEALBOX_TOKEN"`

const addressOf = (kind: PageKind, id: string): string => `${apiAddress()}/${kind}/${id}`

/**
 * The page knows only its own address, under which the API takes the session of a browser. With a token, the request has
 * to go to the address of the API, which whoever runs the server has chosen: its host and port are put in by hand.
 */
const apiAddress = (): string => `${location.origin}/api/v1`

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** Copies a text and says so. Where the browser forbids it, a dialog shows the text for copying by hand. */
export async function copy(text: string, said: string): Promise<void> {
  try {
    await copyText(text)
    showToast({ text: said, icon: 'copy' })
  } catch {
    byHand.value = text
  }
}
