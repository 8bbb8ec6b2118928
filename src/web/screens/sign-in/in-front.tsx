import type { ComponentChildren } from 'preact'
import { InFront } from '../../data/api.ts'
import { texts } from './texts.ts'

/** What to say where the server itself has not answered, with a way past what answered in its place. */
export function silence(error: unknown): ComponentChildren {
  if (!(error instanceof InFront)) return texts().noAnswer
  return (
    <>
      {texts().inFront(error.status)}{' '}
      <button type="button" onClick={() => location.reload()}>
        {texts().openAnew}
      </button>
    </>
  )
}
