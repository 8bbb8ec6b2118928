import { sayWhy } from '../../components/say-why.ts'
import { showToast } from '../../components/toast.tsx'
import { ApiProblem } from '../../data/api.ts'
import type { BinRow, BinRows } from '../../data/bin.ts'
import { memberName } from '../../data/boot.ts'
import { client } from '../../data/current.ts'
import { type Restored, restoreStep } from '../../data/restore.ts'
import { texts } from './texts.ts'
import { broughtWords, leftWords, titleOf } from './words.ts'

/** From so many on it is said how far it is. */
const MANY = 5

type Done = { row: BinRow; restored: Restored }

/**
 * Restores rows one after the other, what was deleted last first: what it referred to was there then. All of them are one
 * step, which the message takes back.
 */
export async function restoreRows(bin: BinRows, chosen: readonly BinRow[]): Promise<void> {
  const rows = chosen.toSorted((one, other) => (one.event_id < other.event_id ? 1 : -1))
  const ids = rows.map(({ event_id }) => event_id)
  const { step, restore } = restoreStep(client(), ids)
  const done: Done[] = []
  const refused: { row: BinRow; why: string }[] = []
  for (const [at, row] of rows.entries()) {
    if (rows.length >= MANY) showToast({ kind: 'working', text: texts().restoringMany(at + 1, rows.length) })
    try {
      done.push({ row, restored: await restore(row.event_id) })
      bin.note(row.event_id, { kind: 'restored', by: client().member ?? null })
    } catch (error) {
      const why = whyNot(bin, row, error)
      refused.push({ row, why })
      if (bin.fates.peek().get(row.event_id)?.kind !== 'restored') bin.note(row.event_id, { kind: 'refused', why })
      // Without an answer the next ones would wait for one each.
      if (!(error instanceof ApiProblem)) break
    }
  }
  tell(done, refused, step)
}

/** A colleague may have been first: their event says so. */
function whyNot(bin: BinRows, { event_id }: BinRow, error: unknown): string {
  const fate = bin.fates.peek().get(event_id)
  const who = fate?.kind === 'restored' && fate.by !== null ? memberName(fate.by) : undefined
  return who && error instanceof ApiProblem && error.code === 'not_in_bin' ? texts().wasFirst(who) : sayWhy(error)
}

function tell(done: readonly Done[], refused: readonly { row: BinRow; why: string }[], step: string): void {
  const words = texts()
  const notBack =
    refused.length === 1 && refused[0]
      ? words.notBack(titleOf(refused[0].row), refused[0].why)
      : refused.length > 0
        ? words.notBackMany(refused.length)
        : ''
  const [first] = done
  if (!first) return void showToast({ kind: 'error', text: notBack })
  let text = done.length === 1 ? words.back(titleOf(first.row)) : words.backMany(done.length)
  const brought = broughtWords(sum(done.map(({ restored }) => restored.brought)))
  if (brought) text = words.andWith(text, brought)
  const left = [...new Set(done.map(({ row, restored }) => leftWords(row.record, restored.left)))]
  if (left.some(Boolean)) text = words.leftOut(text, left.filter(Boolean).join(', '))
  showToast({
    text: notBack ? `${text}. ${notBack}` : text,
    icon: 'undo',
    kind: refused.length > 0 ? 'error' : 'done',
    step,
  })
}

function sum(all: readonly Record<string, number>[]): Record<string, number> {
  const total: Record<string, number> = {}
  for (const each of all) for (const [kind, number] of Object.entries(each)) total[kind] = (total[kind] ?? 0) + number
  return total
}
