import { forget } from '../commands/recent.ts'
import { client } from '../data/current.ts'

/** Ends the session and loads the sign-in page. What waits to be sent stays in this browser, for the same member. */
export async function signOut(): Promise<void> {
  await client().api.request('POST', '/app/logout', { body: {} })
  forget()
  location.assign('/')
}
