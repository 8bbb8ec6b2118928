import { sayWhy } from '../../components/say-why.ts'
import { showToast } from '../../components/toast.tsx'
import { client } from '../../data/current.ts'
import { offerLocal } from '../steps/local.ts'

/** Does something, says that it is done, or why it is not. Answers what it made; undefined if it failed. */
export async function attempt<T>(run: () => Promise<T>, said?: string): Promise<T | undefined> {
  try {
    const made = await run()
    if (said !== undefined) showToast({ text: said })
    return made
  } catch (error) {
    showToast({ kind: 'error', text: sayWhy(error) })
    return undefined
  }
}

type Change<T> = {
  /** Of the thing, such as /app/members/01J… */
  path: string
  before: T
  changes: Partial<T>
  /** What is said once it is done. */
  said: string
  /** Takes what the server answers into the page. */
  take: (after: T) => void
}

/**
 * Changes what is no record of the stream, such as a member. It is refused if somebody has changed it since it was read, and
 * so is the way back that it offers, so that nobody's change is lost unseen.
 */
export async function change<T extends { version: number }>({ path, before, changes, said, take }: Change<T>) {
  const patch = async (from: T, body: Partial<T>): Promise<T> => {
    const { body: after } = await client().api.request<T>('PATCH', path, { body, version: from.version })
    take(after)
    return after
  }
  const after = await attempt(() => patch(before, changes))
  if (!after) return
  const back = Object.fromEntries(Object.keys(changes).map((name) => [name, before[name as keyof T]]))
  offerLocal(said, async () => void (await attempt(() => patch(after, back as Partial<T>))))
}
