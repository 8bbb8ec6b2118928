import { Button } from '../components/button.tsx'
import { Dialog } from '../components/dialog.tsx'
import { record } from '../data/records.ts'
import type { Rec } from '../data/types.ts'
import { type BulkKind, failures } from './bulk.ts'
import { texts } from './texts.ts'

/** The result of each record that a change of many left as it was. */
export function Failures() {
  const found = failures.value
  if (!found) return null
  const close = () => {
    failures.value = null
  }
  return (
    <Dialog
      title={texts().bulk.results}
      wide
      onClose={close}
      footer={<Button onClick={close}>{texts().bulk.close}</Button>}
    >
      <ul class="failures stack">
        {found.reasons.map(({ id, text }) => (
          <li key={id}>
            <a class="link" href={found.kind === 'conversations' ? `/inbox?c=${id}` : `/${found.kind}/${id}`}>
              {nameOfRecord(found.kind, id)}
            </a>
            <span class="dim">{text}</span>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

function nameOfRecord(kind: BulkKind, id: string): string {
  const found = record(kind, id).value as Rec | null | undefined
  return String(found?.name ?? found?.title ?? found?.subject ?? id)
}
