import type * as v from 'valibot'
import { ROLES } from '../../auth/roles.ts'
import type { Deps } from '../../deps.ts'
import type { Route } from '../../http/route.ts'
import { standardRoutes } from '../../http/standard.ts'
import { EMAIL_FORM, emailKey } from '../../lib/email.ts'
import * as f from '../../lib/fields.ts'
import type { Filter } from '../../store/list/conditions.ts'
import { listing } from '../../store/list/page.ts'
import * as c from '../../store/rows/columns.ts'
import { finder } from '../../store/rows/find.ts'

// Members are settings: the API reads them; the settings document (settings.ts) and the member command write them.

// 1. The wire form.

export const STATUSES = ['active', 'deactivated'] as const

export const memberFields = {
  id: f.id,
  name: f.doc(f.title, 'Display name, for example "Ana Ruiz".'),
  email: f.email,
  role: f.doc(f.oneOf(ROLES), 'A token of a `viewer` can only read.'),
  status: f.doc(f.oneOf(STATUSES), 'A deactivated member can still be read, but cannot become an owner.'),
  timezone: f.timezone,
  ...f.recordFields,
}

export const Member = f.doc(
  f.object(memberFields),
  'A member is a user of this organisation, and can own contacts, companies and deals.',
)
export type Member = v.InferOutput<typeof Member>

const filters: Record<string, Filter> = {
  email: { type: 'text', form: EMAIL_FORM, normal: emailKey },
  role: { type: 'choice', choices: ROLES, indexed: false },
  status: { type: 'choice', choices: STATUSES, indexed: false },
  q: {
    type: 'search',
    search: ['name', 'email'],
    description:
      'Full-text search in name and email. Each word must be the beginning of a word in them, ignoring case and accents.',
  },
}

// 2. The row.

export const columns = c.columns<Member>({
  id: c.plain('id'),
  name: c.text('name'),
  email: c.text('email'),
  role: c.plain('role'),
  status: c.plain('status'),
  timezone: c.text('timezone'),
  created_at: c.time('created_at'),
  updated_at: c.time('updated_at'),
  version: c.integer('version'),
})

// 3. The statements.

export function memberStore({ db }: Pick<Deps, 'db'>) {
  const { list } = listing(db, { table: 'members', columns, filters, sorts: {} })
  const find = finder(db, 'members', columns)

  return { list, find }
}

// 4. The routes.

export const members = (deps: Deps): Route[] =>
  standardRoutes({
    path: '/members',
    scope: 'rest.crm.members',
    name: 'member',
    Shape: Member,
    columns,
    filters,
    sorts: {},
    ...memberStore(deps),
  })
