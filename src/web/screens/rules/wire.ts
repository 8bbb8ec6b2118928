import type { Hit } from '../../../mail/rules/dry-run.ts'
import type { RuleShown } from '../../../mail/rules/edits.ts'
import type { RuleForm } from '../../../mail/rules/settings.ts'
import { client } from '../../data/current.ts'
import { randomKey } from '../../data/keys.ts'

// What the server answers and takes: of site/app/rules.ts.

export type { Hit, RuleForm, RuleShown }
export type Listed = {
  data: RuleShown[]
  mailboxes: { key: string; name: string; address: string }[]
  languages: string[]
}
export type Tried = { looked: number; data: { id: string; hits: Hit[] }[] }

const send = async <Body>(
  method: 'POST' | 'PATCH' | 'PUT' | 'DELETE',
  path: string,
  body?: unknown,
  version?: number,
) =>
  (await client().api.request<Body>(method, path, { ...(body ? { body } : {}), ...(version ? { version } : {}) })).body

/** As it is in the form, or all that are stored. */
export const tryRules = (rule?: RuleForm, id?: string): Promise<Tried> =>
  send('POST', '/app/rules/try', { ...(rule ? { rule } : {}), ...(id ? { id } : {}) })

export const changeRule = (id: string, version: number, fields: Partial<RuleForm>): Promise<RuleShown> =>
  send('PATCH', `/app/rules/${id}`, fields, version)

export const deleteRule = ({ id, version }: RuleShown): Promise<unknown> =>
  send('DELETE', `/app/rules/${id}`, undefined, version)

/** Null is the first place. */
export const moveRule = ({ id, version }: RuleShown, after_id: string | null): Promise<RuleShown> =>
  send('PUT', `/app/rules/${id}/place`, { after_id }, version)

export async function addRule(rule: RuleForm): Promise<RuleShown> {
  const asked = { body: rule, key: randomKey() }
  return (await client().api.request<RuleShown>('POST', '/app/rules', asked)).body
}

/** A deleted one, as it was and where it was, if the one before it is still there. */
export async function bringBack(rule: RuleShown, after: string | null | undefined): Promise<void> {
  const { id, key, version, created_at, updated_at, ...form } = rule
  const body = { ...form, before: { id, key, version }, ...(after === undefined ? {} : { after_id: after }) }
  await client().api.request('POST', '/app/rules', { body, key: randomKey() })
}
