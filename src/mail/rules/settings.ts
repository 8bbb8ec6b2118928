import * as v from 'valibot'
import { PRIORITIES } from '../../inbox/sla/policies.ts'
import { toDomain } from '../../lib/domain.ts'
import * as f from '../../lib/fields.ts'
import { LANGUAGES } from '../../lib/language.ts'
import { type FieldError, field, invalid } from '../../lib/problem.ts'
import { uniqueName } from '../../lib/pure/fold.ts'
import { templateFaults } from '../../lib/template.ts'
import { isCustomVariable, UNSUBSCRIBE_URL, variables } from '../../sequences/sequences/variables.ts'
import type { Store } from '../../store/open.ts'
import { type Change, changesOf, repeatedKeys } from '../../store/settings/changes.ts'
import { key } from '../../store/settings/fields.ts'
import { type Stored, settingsTable } from '../../store/settings/table.ts'
import { type Conditions, type Rule, rowColumns, SENDERS } from './rule.ts'

/** All of them are tried with each mail, and read by people. */
export const MAX_RULES = 100

const sender = v.pipe(
  f.line(254),
  v.transform((text) => text.trim().toLowerCase()),
  v.check(
    (text) => (text.includes('@') ? v.is(f.email, text) : toDomain(text) !== undefined),
    'invalid_sender|must be an email, such as "orders@example.com", or a domain, such as "example.com"',
  ),
)

const parts = {
  name: f.title,
  is_active: f.optional(f.flag),
  when: f.optional(
    f.object({
      mailbox: f.optional(key),
      from: f.optional(sender),
      subject: f.optional(f.title),
      text: f.optional(f.title),
      language: f.optional(f.oneOf(LANGUAGES)),
      sender: f.optional(f.oneOf(SENDERS)),
    }),
  ),
  do: f.object({
    assign: f.optional(f.email),
    tags: f.optional(f.arrayOf(f.title, 20)),
    priority: f.optional(f.oneOf(PRIORITIES)),
    answer: f.optional(f.longText(8192)),
    close: f.optional(f.flag),
  }),
}
/** A rule without the key that the document calls it by. */
export const RuleForm = f.object(parts)
export type RuleForm = v.InferOutput<typeof RuleForm>
export const RulePatch = f.patchOf(parts)
export const RuleSettings = f.object({ key, ...parts })
export type RuleSettings = v.InferOutput<typeof RuleSettings>

export function checkRules(given: readonly RuleSettings[]): FieldError[] {
  const keys = given.map((rule) => rule.key)
  return [...repeatedKeys('/rules', keys), ...given.flatMap((rule, index) => checkActs(rule, `/rules/${index}`))]
}

export function checkActs({ do: acts }: RuleForm, at: string): FieldError[] {
  const { assign, tags = [], priority, answer, close } = acts
  if (answer !== undefined && answer.trim() === '') return [field(`${at}/do/answer`, 'empty', 'must not be empty')]
  const isNothing = !assign && tags.length === 0 && !priority && answer === undefined && !close
  return isNothing ? [field(`${at}/do`, 'required', 'must have assign, tags, priority, answer or close')] : []
}

const FIELDS = ['name', 'is_active', 'position', 'when', 'do']

type Known = {
  mailboxes: { id: string; key: string; name: string; address: string; is_active: number }[]
  members: { id: string; email: string; status: string; role: string }[]
  tags: { id: string; name: string }[]
}

/** Call `apply` in a transaction, once the mailboxes and members are written. */
export function ruleSettings(store: Pick<Store, 'db' | 'clock'>) {
  const { db } = store
  const { all, create, save, place, remove } = settingsTable(store, 'rules', rowColumns, 'position')
  const variablesOf = variables(db)
  const mailboxes = db.prepare('SELECT id, key, name, address, is_active FROM mailboxes WHERE org_id = ?')
  const members = db.prepare('SELECT id, email, status, role FROM members WHERE org_id = ?')
  const language = db
    .prepare("SELECT 1 FROM rules WHERE org_id = ? AND conditions ->> 'language' IS NOT NULL LIMIT 1")
    .pluck()
  const tags = db.prepare('SELECT id, name FROM tags WHERE org_id = ?')

  const known = (org: number): Known => ({
    mailboxes: mailboxes.all(org) as Known['mailboxes'],
    members: members.all(org) as Known['members'],
    tags: tags.all(org) as Known['tags'],
  })

  const show = (org: number): RuleSettings[] => itemsOf(org, all(org))

  /** As a document that is applied would have them. Throws Problem 422, with a place in the document unless `at` says otherwise. */
  function check(org: number, given: readonly RuleSettings[], at: At = (index) => `/rules/${index}`): Checked {
    const found = known(org)
    const before = new Map(all(org).map((rule) => [rule.key, rule]))
    const errors = given.flatMap((rule, index) => faultsOf(org, rule, before.get(rule.key), found, at(index)))
    if (errors.length > 0) throw invalid(...errors.slice(0, 100))
    return { found, before, wanted: given.map((rule, position) => rowOf(rule, position, found)) }
  }

  /** All rules that there are from now on, in their order. `again` is what a new one was called before it was removed. */
  function apply(
    org: number,
    given: readonly RuleSettings[],
    { at, again }: { at?: At; again?: Pick<Stored, 'id' | 'version'> } = {},
  ): Change[] {
    const { found, before, wanted } = check(org, given, at)
    const shown = (rule: Rule | undefined) => rule && { ...rule, ...itemOf(rule, found) }
    const changes: Change[] = []
    for (const { position, ...rule } of wanted) {
      const old = before.get(rule.key)
      before.delete(rule.key)
      // Those that others were put before or behind have not changed for whoever is changing them.
      const after = old ? place(org, save(org, old, rule), { position }) : create(org, { ...rule, position }, again)
      changes.push(...changesOf('rules', rule.key, shown(old), shown(after), FIELDS))
    }
    for (const left of before.values()) {
      remove(org, left.id)
      changes.push(...changesOf('rules', left.key, shown(left), undefined, FIELDS))
    }
    return changes
  }

  /** What a rule has named before may have gone since: it does nothing then, and is no reason to refuse the document. */
  function faultsOf(org: number, rule: RuleSettings, old: Rule | undefined, found: Known, at: string): FieldError[] {
    const { when = {}, do: acts } = rule
    const errors: FieldError[] = []
    const mailbox = found.mailboxes.find((each) => each.key === when.mailbox)
    if (when.mailbox !== undefined && !mailbox?.is_active && (!mailbox || mailbox.id !== old?.mailbox_id))
      errors.push(field(`${at}/when/mailbox`, 'unknown_mailbox', 'must be the key of an active mailbox'))
    const member = memberOf(found, acts.assign)
    const isFit = member?.status === 'active' && member.role !== 'viewer'
    if (acts.assign !== undefined && !isFit && (!member || member.id !== old?.owner_id))
      errors.push(
        field(`${at}/do/assign`, 'unknown_member', 'must be the email of an active member who is not a viewer'),
      )
    for (const [index, name] of (acts.tags ?? []).entries())
      if (!tagOf(found, name))
        errors.push(field(`${at}/do/tags/${index}`, 'unknown_tag', 'must be the name of a tag of this organisation'))
    if (acts.answer !== undefined)
      errors.push(...answerFaults(org, acts.answer, acts.answer === old?.answer, `${at}/do/answer`))
    return errors
  }

  /** Nobody is behind an answer by a rule. */
  function answerFaults(org: number, answer: string, isOld: boolean, pointer: string): FieldError[] {
    const names = variablesOf(org).filter((name) => name !== UNSUBSCRIBE_URL && !isOfMember(name))
    let ofMember: string | undefined
    const faults = templateFaults(answer, (name) => {
      if (isOfMember(name)) ofMember ??= name
      return names.includes(name) || isOfMember(name) || (isOld && isCustomVariable(name))
    })
    const errors = faults.map(({ code, message }) =>
      field(pointer, code, code === 'unknown_variable' ? `${message}; variables are ${names.join(', ')}` : message),
    )
    if (ofMember === undefined) return errors
    return [
      ...errors,
      field(pointer, 'needs_member', `must not have {{${ofMember}}}: no member writes the answer of a rule`),
    ]
  }

  /** Counts as a change of it, though nothing of it has changed but its place. */
  const touch = (org: number, rule: Rule): Rule => save(org, rule, {}, true)
  const itemsOf = (org: number, rules: readonly Rule[]): RuleSettings[] => {
    const found = known(org)
    return rules.map((rule) => itemOf(rule, found))
  }
  /** Whether a rule asks what a mail is written in. */
  const asksLanguage = (org: number): boolean => language.get(org) !== undefined

  /** Those that a rule may name. */
  const mailboxesOf = (org: number): { key: string; name: string; address: string }[] =>
    known(org).mailboxes.flatMap(({ key, name, address, is_active }) => (is_active ? [{ key, name, address }] : []))

  return { all, mailboxesOf, show, check, apply, touch, itemsOf, asksLanguage }
}

type At = (index: number) => string
type Checked = { found: Known; before: Map<string, Rule>; wanted: Omit<Rule, keyof Stored>[] }

const isOfMember = (name: string): boolean => name === 'sender' || name.startsWith('sender.')

const memberOf = ({ members }: Known, email: string | undefined) => {
  const wanted = email?.toLowerCase()
  return members.find((each) => each.email.toLowerCase() === wanted)
}
const tagOf = ({ tags }: Known, name: string) => tags.find((each) => uniqueName(each.name) === uniqueName(name))

/** Without what is not asked for, so that equal rules have equal texts. */
function rowOf({ key, name, is_active = true, when = {}, do: acts }: RuleSettings, position: number, found: Known) {
  const { mailbox, ...conditions } = when
  const ids = (acts.tags ?? []).flatMap((each) => tagOf(found, each)?.id ?? [])
  return {
    key,
    name,
    is_active,
    position,
    mailbox_id: found.mailboxes.find((each) => each.key === mailbox)?.id ?? null,
    conditions: inOrder(conditions),
    owner_id: memberOf(found, acts.assign)?.id ?? null,
    tag_ids: [...new Set(ids)],
    priority: acts.priority ?? null,
    answer: acts.answer ?? null,
    closes: acts.close ?? false,
  } satisfies Omit<Rule, keyof Stored>
}

const inOrder = ({ from, subject, text, language, sender }: Conditions): Conditions => ({
  ...(from === undefined ? {} : { from }),
  ...(subject === undefined ? {} : { subject }),
  ...(text === undefined ? {} : { text }),
  ...(language === undefined ? {} : { language }),
  ...(sender === undefined ? {} : { sender }),
})

function itemOf(rule: Rule, { mailboxes, members, tags }: Known): RuleSettings {
  const { key, name, is_active, conditions, priority, answer } = rule
  const mailbox = mailboxes.find(({ id }) => id === rule.mailbox_id)?.key
  const assign = members.find(({ id }) => id === rule.owner_id)?.email
  const named = rule.tag_ids.flatMap((id) => tags.find((tag) => tag.id === id)?.name ?? [])
  return {
    key,
    name,
    is_active,
    when: { ...(mailbox === undefined ? {} : { mailbox }), ...inOrder(conditions) },
    do: {
      ...(assign === undefined ? {} : { assign }),
      ...(named.length > 0 ? { tags: named } : {}),
      ...(priority === null ? {} : { priority }),
      ...(answer === null ? {} : { answer }),
      ...(rule.closes ? { close: true } : {}),
    },
  }
}
