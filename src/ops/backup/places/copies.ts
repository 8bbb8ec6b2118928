import { stat } from 'node:fs/promises'
import { Problem } from '../../../lib/problem.ts'
import { sizeText } from '../../../lib/size.ts'
import type { BackupPlace } from './place.ts'

/** How it went at one place. */
export type CopyReport = {
  place: string
  ok: boolean
  sentence: string
  /** What was thrown, where it is not a Problem: for the log. */
  error?: unknown
}

export type CopyOptions = {
  file: string
  /** The name of the copies. */
  name: string
  places: readonly BackupPlace[]
  /** Which of the names of a place to keep. The new copy is kept in any case. */
  keep: (names: readonly string[]) => Iterable<string>
  signal?: AbortSignal
}

/**
 * Copies a backup to every place, one after the other, and then removes older copies there. A place that fails does not
 * keep the others from their copies. Rejects only with the reason of the signal.
 */
export async function copyToPlaces({ file, name, places, keep, signal }: CopyOptions): Promise<CopyReport[]> {
  const reports: CopyReport[] = []
  for (const place of places) {
    try {
      await place.put(file, name, signal)
      const old = await removeOld(place, name, keep, signal)
      const { size } = await stat(file)
      reports.push({ place: place.name, ok: true, sentence: `${name} (${sizeText(size)}) is at ${place.name}.${old}` })
    } catch (error) {
      signal?.throwIfAborted()
      reports.push({ place: place.name, ok: false, ...saidOf(place, error) })
    }
  }
  return reports
}

/**
 * Returns what to say about it. A failure is not one of the copy: keys that may write but not delete are a good idea, as
 * nobody who takes over this machine can remove the copies then.
 */
async function removeOld(
  place: BackupPlace,
  name: string,
  keep: CopyOptions['keep'],
  signal: AbortSignal | undefined,
): Promise<string> {
  try {
    const names = (await place.list(signal)).map((copy) => copy.name)
    const kept = new Set([name, ...keep(names)])
    const old = names.filter((each) => !kept.has(each))
    for (const each of old) await place.remove(each, signal)
    if (old.length === 0) return ''
    return old.length === 1 ? ' An older copy was removed.' : ` ${old.length} older copies were removed.`
  } catch (error) {
    signal?.throwIfAborted()
    return ` Older copies were not removed: ${saidOf(place, error).sentence}`
  }
}

function saidOf(place: BackupPlace, error: unknown): { sentence: string; error?: unknown } {
  if (error instanceof Problem) return { sentence: error.message }
  return { sentence: `The copy to ${place.name} failed; the log has the reason.`, error }
}
