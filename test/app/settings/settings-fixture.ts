import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { resourceDeps } from '../../../src/app/deps.ts'
import { defaultSettings } from '../../../src/app/settings/defaults.ts'
import { applySettings, createOrg, type SettingsDocument, showSettings } from '../../../src/app/settings/document.ts'
import { dealStore } from '../../../src/crm/deals/deals.ts'
import type { Deal } from '../../../src/records/deal.ts'
import { insertConversation } from '../../support/conversation.ts'
import { openEmptyStore } from '../../support/empty-store.ts'

export type Row = Record<string, string | number | null>

const org = { name: 'Acme', timezone: 'Europe/Berlin', currency: 'EUR' }
const members = [
  { email: 'ana@acme.example', name: 'Ana', role: 'owner', timezone: 'Europe/Berlin' },
  { email: 'bo@acme.example', name: 'Bo', role: 'member', timezone: 'Europe/Berlin' },
] as const

/** A store with two organisations of the default settings, and short ways to apply documents and to make deals. */
export function settingsFixture(t: TestContext) {
  const dataDir = mkdtempSync(join(tmpdir(), 'dealbox-settings-'))
  let now = Date.UTC(2026, 10, 20, 8, 36)
  const store = openEmptyStore(dataDir, { wall: () => now })
  t.after(() => {
    store.close()
    rmSync(dataDir, { recursive: true, force: true })
  })
  const first = { ...defaultSettings(org.timezone), org, members: [...members] }
  const { org: a } = createOrg(store, first)
  const { org: b } = createOrg(store, { ...first, org: { ...org, name: 'Birch' } })
  const deals = dealStore(resourceDeps(store))

  /** All rows of a table of org A, in the order of their positions. */
  const rows = (table: string, of = a): Row[] =>
    store.db
      .prepare(`SELECT * FROM ${table} WHERE org_id = ? ORDER BY ${table === 'members' ? 'id' : 'position'}`)
      .all(of) as Row[]

  const row = (table: string, key: string): Row => {
    const found = rows(table).find((each) => each.key === key || each.email === key)
    if (!found) throw new Error(`no ${key} in ${table}`)
    return found
  }

  const who = (email: string) => ({ org: a, member: row('members', email).id as string })

  return {
    store,
    dataDir,
    a,
    b,
    rows,
    row,
    show: () => showSettings(store, a),
    apply: (document: unknown, options?: { dryRun?: boolean }) => applySettings(store, a, document, options).changed,
    /** Applies what `edit` has made of a copy of the present document. */
    edit: (edit: (document: Required<SettingsDocument>) => void, options?: { dryRun?: boolean }) => {
      const document = structuredClone(showSettings(store, a))
      edit(document)
      return applySettings(store, a, document, options).changed
    },
    deal: (given: { owner_id?: string; pipeline_id?: string } = {}, email?: string): Deal =>
      store.transaction(() =>
        deals.create(email ? who(email) : { org: a, member: null }, { title: 'Rollout', ...given }),
      ),
    move: (deal: Deal, stage: string): Deal =>
      store.transaction(() =>
        deals.patch({ org: a, member: null }, deal, { stage: row('stages', stage).id as string }),
      ),
    close: (deal: Deal, reason: string): Deal =>
      store.transaction(() =>
        deals.close({ org: a, member: null }, deal, { reason_id: row('close_reasons', reason).id as string }),
      ),
    conversation: (given: Row = {}): string => insertConversation(store, a, given),
    advance: (ms: number) => {
      now += ms
    },
  }
}

/** Whether an error is the Problem with this status and code; for assert.throws. */
export const problem = (status: number, code: string) => ({ status, code })

/** The pointers and codes of the 422 that the job throws. */
export function thrownErrors(job: () => unknown): string[] {
  try {
    job()
  } catch (error) {
    const { status, errors } = error as { status: number; errors: { pointer: string; code: string }[] }
    if (status === 422) return errors.map(({ pointer, code }) => `${pointer} ${code}`)
    throw error
  }
  throw new Error('nothing was refused')
}
