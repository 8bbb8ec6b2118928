import * as v from 'valibot'
import { CloseReasonSettings, checkCloseReasons, closeReasonSettings } from '../../crm/close-reasons/settings.ts'
import { checkMembers, MemberSettings, memberSettings } from '../../crm/members/settings.ts'
import { checkPipelines, PipelineSettings, pipelineSettings } from '../../crm/stages/pipelines.ts'
import { checkHours, HoursSettings, hoursSettings } from '../../inbox/hours/settings.ts'
import { mailboxSettings } from '../../inbox/mailboxes/settings.ts'
import { checkMailboxes, MailboxSettings } from '../../inbox/mailboxes/settings-schema.ts'
import { applyServiceLevels } from '../../inbox/sla/service-levels.ts'
import { checkSla, SlaSettings, slaSettings } from '../../inbox/sla/settings.ts'
import * as f from '../../lib/fields.ts'
import { invalid, Problem } from '../../lib/problem.ts'
import { validate } from '../../lib/validate.ts'
import { checkRules, MAX_RULES, RuleSettings, ruleSettings } from '../../mail/rules/settings.ts'
import { SatisfactionSettings, satisfactionSettings } from '../../mail/satisfaction/settings.ts'
import { customRows } from '../../records/custom-fields/rows.ts'
import { checkSequences, SequenceSettings, sequenceSettings } from '../../sequences/sequences/settings.ts'
import type { CommandStore, Store } from '../../store/open.ts'
import { countryOf } from '../../store/orgs/orgs.ts'
import type { Change } from '../../store/settings/changes.ts'
import { OrgSettings, orgSettings } from './org.ts'

// The settings document: the whole configuration of an organisation as one JSON document.

const sections = {
  org: f.optional(OrgSettings),
  members: f.optional(f.arrayOf(MemberSettings)),
  pipelines: f.optional(f.arrayOf(PipelineSettings)),
  close_reasons: f.optional(f.arrayOf(CloseReasonSettings)),
  hours: f.optional(f.arrayOf(HoursSettings)),
  sla: f.optional(f.arrayOf(SlaSettings)),
  mailboxes: f.optional(f.arrayOf(MailboxSettings)),
  rules: f.optional(f.arrayOf(RuleSettings, MAX_RULES)),
  satisfaction: f.optional(SatisfactionSettings),
  sequences: f.optional(f.arrayOf(SequenceSettings)),
}
const NAMES = Object.keys(sections).join(', ')

export const SettingsDocument = v.strictObject(
  f.object(sections).entries,
  `unknown_section|is not a section of the settings; sections are ${NAMES}`,
)
export type SettingsDocument = v.InferOutput<typeof SettingsDocument>

/** `warnings` are sentences about the settings as they are now, changed or not. */
export type Applied = { changed: Change[]; warnings: string[] }

export function showSettings(store: Store, org: number): Required<SettingsDocument> {
  return {
    org: orgSettings(store).show(org),
    members: memberSettings(store).show(org),
    pipelines: pipelineSettings(store).show(org),
    close_reasons: closeReasonSettings(store).show(org),
    hours: hoursSettings(store).show(org),
    sla: slaSettings(store).show(org),
    mailboxes: mailboxSettings(store).show(org),
    rules: ruleSettings(store).show(org),
    satisfaction: satisfactionSettings(store).show(org),
    sequences: sequenceSettings(store).show(org),
  }
}

/** Creates an organisation from the document. Returns its internal and its public id. */
export function createOrg(
  store: Store,
  document: SettingsDocument & { org: OrgSettings },
): { org: number; publicId: string } {
  return store.writeAtOnce(() => {
    const created = orgSettings(store).create(document.org)
    applyAll(store, created.org, readDocument(document))
    return created
  })
}

/**
 * Applies the sections in the document, all in one transaction; other sections stay unchanged. An item left out of a
 * given section is removed if nothing uses it, otherwise deactivated, otherwise refused. An omitted optional field gets
 * its default. Throws Problem 400 and 422 for the document, and 409 for a conflict with stored data.
 */
export function applySettings(
  store: CommandStore,
  org: number,
  document: unknown,
  { dryRun = false }: { dryRun?: boolean } = {},
): Applied {
  const given = readDocument(document)
  let applied: Applied | undefined
  try {
    store.transaction(() => {
      applied = applyAll(store, org, given)
      if (dryRun) throw ROLL_BACK
    })
  } catch (error) {
    if (error !== ROLL_BACK) throw error
  }
  return applied as Applied
}

/** Runs in the caller's transaction. */
function applyAll(store: Store, org: number, given: SettingsDocument): Applied {
  const changed: Change[] = []
  const warnings: string[] = []
  if (given.org) {
    const country = countryOf(store.db)
    const before = country(org)
    changed.push(...orgSettings(store).apply(org, given.org))
    if (country(org) !== before) customRows(store.db).renewPhones(org)
  }
  if (given.members) changed.push(...memberSettings(store).apply(org, given.members))
  if (given.pipelines) changed.push(...pipelineSettings(store).apply(org, given.pipelines))
  if (given.close_reasons) changed.push(...closeReasonSettings(store).apply(org, given.close_reasons))
  const levels = applyServiceLevels(store, org, given)
  changed.push(...levels.changes)
  const sequences = sequenceSettings(store)
  const goes = given.mailboxes ? sequences.mailboxesBut(org, given.mailboxes) : []
  const mailboxes = mailboxSettings(store).apply(org, given.mailboxes)
  changed.push(...mailboxes.changes)
  const isKept = { hours: levels.isKept, mailbox: (key: string) => !goes.includes(key) }
  if (given.sequences) changed.push(...sequences.apply(org, given.sequences, isKept))
  if (given.rules) changed.push(...ruleSettings(store).apply(org, given.rules))
  if (given.satisfaction) changed.push(...satisfactionSettings(store).apply(org, given.satisfaction))
  changed.push(...levels.removeLeft())
  if (given.org) {
    sequences.checkPublicUrl(org)
    satisfactionSettings(store).checkPublicUrl(org)
  }
  changed.push(...mailboxes.removeLeft())
  if (given.mailboxes) warnings.push(...mailboxSettings(store).warnings(org))
  return { changed, warnings }
}

const ROLL_BACK = Symbol('dry run')

/** Parses the document, and checks the rules between its items. Throws Problem 400 and 422. */
export function readDocument(document: unknown): SettingsDocument {
  if (document === null || typeof document !== 'object' || Array.isArray(document)) {
    throw new Problem(400, 'wrong_root', `A settings document must be a JSON object with some of ${NAMES}.`)
  }
  const given = validate(SettingsDocument, document)
  const errors = [
    ...checkMembers(given.members ?? []),
    ...checkPipelines(given.pipelines ?? []),
    ...checkCloseReasons(given.close_reasons ?? []),
    ...checkHours(given.hours ?? []),
    ...checkSla(given.sla ?? []),
    ...checkMailboxes(given.mailboxes ?? []),
    ...checkRules(given.rules ?? []),
    ...checkSequences(given.sequences ?? []),
  ]
  if (errors.length > 0) throw invalid(...errors)
  return given
}
