import { Problem } from '../../../lib/problem.ts'
import { MIB } from '../../../lib/size.ts'
import { MINUTE_MS, SECOND_MS } from '../../../lib/time.ts'
import { isFull } from '../files/full-disk.ts'

/**
 * Bounds how long work on a folder takes: a minute, and a second for each MiB. If the server of a share is away, a call of
 * the file system may not return for days, nor can it be aborted: it holds one of the four threads that all files of the
 * process share. So no further work is begun until it has returned. Rejects with Problem, or with the reason of the
 * signal.
 */
export function patience(folder: string, base_ms = MINUTE_MS) {
  let isHanging = false

  return async function within<T>(
    bytes: number,
    signal: AbortSignal | undefined,
    work: (cut: AbortSignal) => Promise<T>,
  ): Promise<T> {
    signal?.throwIfAborted()
    if (isHanging) throw tooLong(folder)
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(tooLong(folder)), base_ms + (bytes / MIB) * SECOND_MS)
    const cut = signal ? AbortSignal.any([signal, late.signal]) : late.signal
    const done = work(cut)
    const isCut = new Promise<never>((_, reject) => {
      cut.addEventListener('abort', () => {
        isHanging = true
        const end = () => {
          isHanging = false
        }
        done.then(end, end)
        reject(cut.reason)
      })
    })
    try {
      return await Promise.race([done, isCut])
    } catch (error) {
      if (cut.aborted) throw cut.reason
      throw placeProblem(folder, error)
    } finally {
      clearTimeout(timer)
    }
  }
}

const tooLong = (folder: string): Problem =>
  new Problem(502, 'place_failed', `${folder} does not answer. If it is on a share, its server may be away.`)

function placeProblem(folder: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException
  if (error instanceof Problem || code === undefined) return error
  if (isFull(error)) return new Problem(502, 'place_full', `${folder} is full.`)
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return new Problem(502, 'place_denied', `${folder} may not be read or written by this user (${code}).`)
  return new Problem(502, 'place_failed', `${folder} cannot be used (${code}).`)
}
