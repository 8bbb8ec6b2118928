import assert from 'node:assert/strict'
import { life } from '../../../src/demo/story/sales.ts'
import type { Profile, Step } from '../../../src/demo/story/steps.ts'

export type Of<Kind extends Step['do']> = Extract<Step, { do: Kind }>
export type Deal = Of<'deal'>['given'] & { step: Of<'deal'>; stage: number; outcome?: 'won' | 'lost' }

export const AS_OF = Date.UTC(2026, 10, 20, 9, 30)

/** A whole life with every step checked, and the records as they are at its end. */
export function follow(profile: Profile, seed = 1) {
  return replay(life({ seed, profile, asOf: AS_OF }))
}

/** Checks each step as it comes: the order of time, the refs, and that a closed deal stays closed. */
export function replay(steps: Iterable<Step>) {
  const members: Of<'member'>[] = []
  const tags: Of<'tag'>[] = []
  const companies: Of<'company'>[] = []
  const contacts: Of<'contact'>[] = []
  const deals: Deal[] = []
  const changes: Of<'change'>[] = []
  const moves: { from: number; to: number }[] = []
  let before = 0
  for (const step of steps) {
    assert.ok(step.at >= before, 'out of order')
    before = step.at
    if ('tags' in step) for (const tag of step.tags) assert.ok(tag in tags, 'unknown tag')
    if ('owner' in step && step.owner !== undefined) {
      const owner = members[step.owner]
      assert.ok(owner && owner.given.role !== 'viewer', 'unknown owner, or one who only looks on')
    }
    if ('company' in step && step.company !== undefined) assert.ok(step.company in companies, 'unknown company')
    if (step.do === 'member') assert.equal(members.push(step), step.ref + 1)
    if (step.do === 'tag') assert.equal(tags.push(step), step.ref + 1)
    if (step.do === 'company') {
      if (step.parent !== undefined) assert.ok(step.parent in companies, 'unknown parent')
      assert.equal(companies.push(step), step.ref + 1)
    }
    if (step.do === 'contact') assert.equal(contacts.push(step), step.ref + 1)
    if (step.do === 'deal') {
      if (step.contact !== undefined) assert.ok(step.contact in contacts, 'unknown contact')
      assert.equal(deals.push({ ...step.given, step, stage: 0 }), step.ref + 1, 'a ref out of turn')
    }
    if (step.do === 'move' || step.do === 'close' || step.do === 'change') {
      const deal = deals[step.deal]
      assert.ok(deal, 'unknown deal')
      assert.equal(deal.outcome, undefined, 'a closed deal goes on')
      if (step.do === 'move') {
        assert.ok([0, 1, 2, 3].includes(step.position))
        moves.push({ from: deal.stage, to: step.position })
        deal.stage = step.position
      } else if (step.do === 'change') {
        for (const [field, value] of Object.entries(step.given)) {
          if (field !== 'currency') assert.notEqual(deal[field as keyof typeof step.given], value, 'nothing changed')
        }
        Object.assign(deal, step.given)
        changes.push(step)
      } else {
        assert.ok([0, 1, 2, 3, 4].includes(step.reason))
        deal.outcome = step.outcome
      }
    }
  }
  return { members, tags, companies, contacts, deals, changes, moves }
}

export function unique(values: readonly unknown[]): void {
  const seen = new Set<unknown>()
  for (const value of values) {
    assert.ok(!seen.has(value), `${value} comes twice`)
    seen.add(value)
  }
}

export function share<T>(values: readonly T[], is: (value: T) => boolean): number {
  return values.filter(is).length / values.length
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

export function between(value: number, from: number, to: number): void {
  assert.ok(value >= from && value <= to, `${value} is not between ${from} and ${to}`)
}
