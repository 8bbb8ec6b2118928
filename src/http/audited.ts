import type { Access } from '../auth/access.ts'
import type { Detail, NewEntry } from '../events/audit/entry.ts'
import type { Answered, Need, Stored, WriteRoute } from './route.ts'

/** How a write is called in the audit log: its entry is part of the transaction. */
export type Audited = {
  /** For writes that are no change of a record of the CRM, which the events have. */
  audit?: {
    /** Such as `webhook.created`. */
    action: string
    /** The names of the fields of a PATCH, and of other writes nothing, unless it is given. */
    detail?: (done: { body: unknown; record?: Stored }) => Detail
  }
}

type Done = { body: unknown; record: Stored | undefined; made: Answered | undefined }

/** The entry of a write; undefined if it needs none, or is a PATCH that has changed nothing. */
export function entryOf(
  { audit, method }: WriteRoute<Need>,
  { who, token }: Access,
  { body, record, made }: Done,
): NewEntry | undefined {
  const isPatch = method === 'patch'
  if (!audit || (isPatch && record && made?.version === record.version)) return undefined
  return {
    org: who.org,
    actor: { type: 'member', member: who.member as string, via: `${who.session ? 'session' : 'token'} ${token}` },
    action: audit.action,
    record: record?.id ?? (made?.id as string | undefined) ?? null,
    detail:
      audit.detail?.({ body, ...(record && { record }) }) ?? (isPatch ? { fields: Object.keys(body as object) } : {}),
  }
}
