import * as v from 'valibot'
import { SCOPES } from '../../auth/scopes.ts'
import type { Deps } from '../../deps.ts'
import type { Route } from '../../http/route.ts'
import type { Caller } from '../../lib/caller.ts'
import * as f from '../../lib/fields.ts'
import { rfc3339 } from '../../lib/time.ts'
import { orgOf } from '../../store/orgs/orgs.ts'
import type { RawRow } from '../../store/rows/columns.ts'
import { columns, memberFields, memberStore } from './members.ts'

// Who asks: what a program shows for the token that somebody has pasted into it.

// 1. The wire form.

const { version: _, ...fields } = memberFields

const Me = f.doc(
  f.object({
    ...fields,
    scopes: f.doc(
      v.array(f.oneOf(SCOPES)),
      'What the token may do now: with the role of its member taken into account.',
    ),
    organisation: f.named(
      'Organisation',
      f.object({
        id: f.id,
        name: f.doc(f.title, 'Name of the organisation.'),
        timezone: f.timezone,
        currency: f.doc(f.currency, 'Currency of new deals, ISO 4217.'),
      }),
    ),
    expires_at: f.doc(f.nullable(f.recordFields.created_at), 'When the token ends; null if it never does.'),
    version: memberFields.version,
  }),
  'The member whose token the request has.',
)

// 3. The rules.

function find({ db }: Pick<Deps, 'db'>) {
  const { find: findMember } = memberStore({ db })

  return (who: Caller): RawRow => {
    const { version, ...member } = columns.present(findMember(who, who.member as string))
    const { public_id: id, name, timezone, currency } = orgOf(db, who.org)
    const { expiresAt = null } = who
    const own = {
      scopes: SCOPES.filter((scope) => who.scopes?.has(scope)),
      organisation: { id, name, timezone, currency },
      expires_at: expiresAt === null ? null : rfc3339(expiresAt),
    }
    return [JSON.stringify({ ...member, ...own, version })]
  }
}

// 4. The route.

export const me = (deps: Deps): Route[] => [
  {
    kind: 'read',
    method: 'get',
    path: '/members/me',
    scope: 'rest.crm.members.read',
    name: 'me',
    operation: 'getMe',
    summary: 'Get the member of the token',
    description: 'The member whose token the request has, what the token may do, and when it ends.',
    columns: { select: '', json: ([json]) => json as string },
    returns: Me,
    isDerived: true,
    find: find(deps),
  },
]
