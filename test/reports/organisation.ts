import { applySettings, showSettings } from '../../src/app/settings/document.ts'
import { type Back, dealStore } from '../../src/crm/deals/deals.ts'
import type { Caller } from '../../src/lib/caller.ts'
import type { Deal } from '../../src/records/deal.ts'
import type { AppServer } from '../support/app-data.ts'

// An organisation in which a year passes at random: deals are made, moved, closed, opened again, given away and deleted.

const HOUR = 3_600_000
const ZONES = ['Europe/Berlin', 'America/Los_Angeles', 'Asia/Kolkata', 'Pacific/Auckland', 'America/Sao_Paulo', 'UTC']
const CURRENCIES = ['EUR', 'USD', 'JPY', 'CHF', null]
const AMOUNTS = [null, 0, 0.01, 0.1, 0.2, 19.99, 1250.5, 92_000, 999_999.999999, 8_999_999_999_999]
const SOURCES = ['web', 'Web', 'fair', 'none', null]

/** Numbers from 0 to 1, the same ones for the same seed. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** From now to some hour around the next beginning of a month, which it is in one zone and not yet in another. */
function toEdge(now: number, random: number): number {
  const date = new Date(now + 14 * HOUR)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) + (random * 28 - 14) * HOUR - now
}

export async function randomYear(app: AppServer, seed: number, steps: number): Promise<void> {
  const random = randomOf(seed)
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
  const { a, deps, store } = app
  const deals = dealStore(deps)
  const owners = [a.owner, app.ids.member, app.ids.admin, null]
  const who = (): Caller => ({ org: a.org, member: pick(owners.slice(0, 3)) }) as Caller
  const { org } = showSettings(store, a.org)
  applySettings(store, a.org, { org: { ...org, timezone: pick(ZONES) } })
  store.db.prepare('UPDATE stages SET probability = 80 WHERE org_id = ? AND id = ?').run(a.org, a.stages.proposal)
  const contacts: (string | null)[] = [null]
  for (const source of SOURCES) contacts.push((await app.newContact({ source })).id)
  const known = new Map<string, Deal>()
  /** What each deal was before it was closed. */
  const before = new Map<string, { was: Deal; now: Deal }>()
  const open = [a.stages.qualified, a.stages.demo, a.stages.proposal]
  const date = (): string | null =>
    random() < 0.2 ? null : new Date(app.now() + (random() * 600 - 150) * 24 * HOUR).toISOString().slice(0, 10)

  const fields = () => ({
    amount: pick(AMOUNTS),
    currency: pick(CURRENCIES),
    owner_id: pick(owners),
    expected_close_date: date(),
    primary_contact_id: pick(contacts),
  })
  const save = (change: () => Deal | null): Promise<unknown> =>
    store.write(() => {
      const deal = change()
      if (deal) known.set(deal.id, deal)
      return null
    })

  for (let step = 0; step < steps; step++) {
    const wait = random() < 0.08 ? toEdge(app.now(), random()) : random() * random() * (360 / steps) * 48 * HOUR
    app.advance(Math.floor(wait))
    const choice = random()
    const deal = known.size > 0 ? pick([...known.values()]) : undefined
    if (!deal || choice < 0.35) {
      await save(() => {
        const older = random() < 0.15 ? { originally_created_at: '2019-05-03T10:00:00.000Z' } : {}
        const pipeline_id = random() < 0.2 ? a.pipelines.partners : a.pipelines.sales
        const made = deals.draft(who(), { title: `Deal ${step}`, pipeline_id, ...fields() } as never)
        return deals.add(who(), { ...made, ...older } as Deal)
      })
    } else if (choice < 0.4) {
      known.delete(deal.id)
      await store.write(() => {
        deals.removeForScreens(who(), deal)
        return null
      })
    } else if (choice < 0.5) await save(() => deals.patch(who(), deal, fields() as never))
    else if (deal.status !== 'open') {
      const closing = before.get(deal.id)
      const undone = closing?.now.version === deal.version ? closing : undefined
      const back: Back | undefined = undone && {
        undone: deal,
        times: { stage_changed_at: undone.was.stage_changed_at },
      }
      await save(() =>
        deals.reopen(who(), deal, undone ? undone.was.stage : pick(open), random() < 0.7 ? back : undefined),
      )
    } else if (choice < 0.72) {
      await save(() => {
        const now = deals.close(who(), deal, { reason_id: random() < 0.5 ? a.reasons.won : a.reasons.lost })
        before.set(deal.id, { was: deal, now })
        return now
      })
    } else {
      const stage = pick(open.filter((each) => each !== deal.stage))
      if (open.includes(deal.stage)) await save(() => deals.patch(who(), deal, { stage }))
    }
  }
  await app.pass(0)
}
