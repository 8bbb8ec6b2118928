import * as v from 'valibot'
import { PHONES_INDEX } from '../../crm/phones.ts'
import { MAX_KEPT } from '../../inbox/messages/originals.ts'
import * as f from '../../lib/fields.ts'
import { timeOfId } from '../../lib/id.ts'
import { jobQueue } from '../../store/jobs/jobs.ts'
import type { Store } from '../../store/open.ts'
import { countryOf } from '../../store/orgs/orgs.ts'
import { checkOrgNumber } from '../../store/search/search.ts'
import { type Change, changesOf } from '../../store/settings/changes.ts'

export const OrgSettings = f.object({
  name: f.title,
  timezone: f.timezone,
  currency: f.currency,
  country: f.optional(f.country),
  public_base_url: f.optional(f.url),
  keep_originals_days: f.optional(f.count(MAX_KEPT.days)),
  keep_originals_mib: f.optional(
    v.pipe(
      f.count(MAX_KEPT.mib),
      v.minValue(1, 'out_of_range|must be at least 1; set keep_originals_days to 0 for none'),
    ),
  ),
})
export type OrgSettings = v.InferOutput<typeof OrgSettings>

type Row = {
  public_id: string
  name: string
  timezone: string
  currency: string
  country: string | null
  public_base_url: string | null
  keep_originals_days: number | null
  keep_originals_mib: number | null
}

const OPTIONAL = ['country', 'public_base_url', 'keep_originals_days', 'keep_originals_mib'] as const
const FIELDS = ['name', 'timezone', 'currency', ...OPTIONAL]

const NONE = Object.fromEntries(OPTIONAL.map((field) => [field, null]))

export function orgSettings({ db, clock }: Pick<Store, 'db' | 'clock'>) {
  const byId = db.prepare(`SELECT public_id, ${FIELDS.join(', ')} FROM orgs WHERE id = ?`)
  const insert = db.prepare('INSERT INTO orgs (public_id, name, timezone, currency, created_at) VALUES (?, ?, ?, ?, ?)')
  const update = db.prepare(`UPDATE orgs SET ${FIELDS.map((name) => `${name} = @${name}`).join(', ')} WHERE id = @id`)

  const country = countryOf(db)
  const jobs = jobQueue({ db, clock })

  /** Creates an empty organisation. Returns its internal and its public id. */
  function create({ name, timezone, currency }: OrgSettings): { org: number; publicId: string } {
    const publicId = clock.id()
    const { lastInsertRowid } = insert.run(publicId, name, timezone, currency, timeOfId(publicId))
    return { org: checkOrgNumber(lastInsertRowid), publicId }
  }

  function show(org: number): OrgSettings {
    const row = byId.get(org) as Row
    const { name, timezone, currency } = row
    const optional = OPTIONAL.map((field) => [field, row[field]] as const).filter(([, value]) => value !== null)
    return { name, timezone, currency, ...Object.fromEntries(optional) }
  }

  function apply(org: number, given: OrgSettings): Change[] {
    const before = byId.get(org) as Row
    const after = { ...NONE, ...given }
    const changes = changesOf('org', before.public_id, before, after, FIELDS)
    if (changes.length === 0) return changes
    const former = country(org)
    update.run({ ...after, id: org })
    if (country(org) !== former)
      jobs.put(org, { kind: PHONES_INDEX, key: 'org', payload: { kind: 'contact', after: '' }, dueAt: clock.now() })
    return changes
  }

  return { create, show, apply }
}
