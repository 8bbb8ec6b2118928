import { confirmFinal } from '../../components/confirm.tsx'
import { sayLeft } from '../../data/browser-tabs.ts'
import { client } from '../../data/current.ts'
import { leaving } from '../../data/leaving.ts'
import type { Fields } from '../../data/types.ts'
import type { Write } from '../../data/write-storage.ts'
import { base } from '../../lib/base.ts'
import { forgetAll } from '../../lib/kept.ts'
import { nameOf } from './name-of.ts'
import { texts } from './texts.ts'

const MOST_NAMED = 6

/** Signs out, and leaves nothing of the member in this browser. Throws NoAnswer if the session cannot be ended. */
export async function leave(): Promise<void> {
  const hasLeft = await leaving({
    here: client(),
    wordsOf: { write: wordsOf, draft: beginningOf },
    confirmed,
    forget: forgetAll,
    sayLeft,
  })
  if (!hasLeft) return
  addEventListener('pageshow', () => location.reload()) // by "back", from the memory of the browser
  location.replace(`${base}/`)
}

const wordsOf = (write: Write): string => texts().what[write.verb](nameOf(write))

function beginningOf(draft: Fields): string {
  const text = Object.values(draft).find((each) => typeof each === 'string' && each.trim() !== '')
  return texts().draft(String(text ?? '').slice(0, 60))
}

function confirmed(left: readonly string[]): Promise<boolean> {
  const { leave: words } = texts()
  const more = left.length - MOST_NAMED
  return confirmFinal({
    title: words.title,
    text: (
      <>
        <ul>
          {left.slice(0, MOST_NAMED).map((each) => (
            <li key={each}>{each}</li>
          ))}
          {more > 0 && <li>{words.more(more)}</li>}
        </ul>
        <p>{words.body}</p>
      </>
    ),
    keep: words.stay,
    verb: words.verb,
  })
}
