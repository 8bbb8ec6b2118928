import { type ApiProblem, api } from '../../data/api.ts'
import { explain, send } from '../../data/browser.ts'

// What pages without a session ask. A 401 here is an answer, not the end of a session.

const { request } = api((sent) => send(sent), { explain })

export type Link = {
  kind: 'setup' | 'invite' | 'sign_in'
  org_name?: string | null
  role?: string
  email?: string | null
  invited_by?: string | null
  expires_at: string
}

export type Login = { email: string; password: string; code?: string | undefined; stay?: boolean }

const post = async <Body>(path: string, body: unknown): Promise<Body> =>
  (await request<Body>('POST', path, { body })).body

/** All throw ApiProblem and NoAnswer. */
export const login = (given: Login): Promise<{ member_id: string }> => post('/app/login', given)
export const checkLink = (token: string): Promise<Link> => post('/app/links/check', { token })
export const acceptLink = (given: { token: string } & Record<string, unknown>): Promise<{ member_id: string }> =>
  post('/app/links/accept', given)

/** Making sample data is two seconds of work, which a small or busy machine may need minutes for. */
const SETUP_MS = 10 * 60 * 1000
const patient = api((sent) => send(sent, SETUP_MS))
export const setUp = async (given: Record<string, unknown>): Promise<unknown> =>
  (await patient.request('POST', '/app/setup', { body: given })).body

/** The messages of a refused form by pointer, such as `/owner/password`. */
export function fieldErrors(problem: ApiProblem): Record<string, string> {
  return Object.fromEntries(problem.errors.map(({ pointer, message }) => [pointer, message]))
}
