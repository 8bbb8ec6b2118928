import * as v from 'valibot'
import { PRIORITIES } from '../../inbox/sla/policies.ts'
import { toDomain } from '../../lib/domain.ts'
import * as f from '../../lib/fields.ts'

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

export const RuleSettings = f.object({
  key,
  name: f.title,
  is_active: f.optional(f.flag),
  when: f.optional(
    f.object({
      mailbox: f.optional(key),
      from: f.optional(sender),
      subject: f.optional(f.title),
      text: f.optional(f.title),
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
})
export type RuleSettings = v.InferOutput<typeof RuleSettings>

export function checkRules(given: readonly RuleSettings[]): FieldError[] {
  const keys = given.map((rule) => rule.key)
  return [
    ...repeatedKeys('/rules', keys),
    ...given.flatMap(({ do: acts }, index) => {
      const { assign, tags = [], priority, answer, close } = acts
      const pointer = `/rules/${index}/do`
      if (answer !== undefined && answer.trim() === '')
        return [field(`${pointer}/answer`, 'empty', 'must not be empty')]
      const isNothing = !assign && tags.length === 0 && !priority && answer === undefined && !close
      return isNothing ? [field(pointer, 'required', 'must have assign, tags, priority, answer or close')] : []
    }),
  ]
}

const FIELDS = ['name', 'is_active', 'position', 'when', 'do']

type Known = {
  mailboxes: { id: string; key: string; is_active: number }[]
  members: { id: string; email: string; status: string; role: string }[]
  tags: { id: string; name: string }[]
}

/** Call `apply` in a transaction, once the mailboxes and members are written. */
export function ruleSettings(store: Pick<Store, 'db' | 'clock'>) {
  const { db } = store
  const { all, create, save, remove } = settingsTable(store, 'rules', rowColumns, 'position')
  const variablesOf = variables(db)
  const mailboxes = db.prepare('SELECT id, key, is_active FROM mailboxes WHERE org_id = ?')
  const members = db.prepare('SELECT id, email, status, role FROM members WHERE org_id = ?')
  const tags = db.prepare('SELECT id, name FROM tags WHERE org_id = ?')

  const known = (org: number): Known => ({
    mailboxes: mailboxes.all(org) as Known['mailboxes'],
    members: members.all(org) as Known['members'],
    tags: tags.all(org) as Known['tags'],
  })

  function show(org: number): RuleSettings[] {
    const found = known(org)
    return all(org).map((rule) => itemOf(rule, found))
  }

  function apply(org: number, given: readonly RuleSettings[]): Change[] {
    const found = known(org)
    const before = new Map(all(org).map((rule) => [rule.key, rule]))
    const errors = given.flatMap((rule, index) => faultsOf(org, rule, before.get(rule.key), found, `/rules/${index}`))
    if (errors.length > 0) throw invalid(...errors.slice(0, 100))
    const shown = (rule: Rule | undefined) => rule && { ...rule, ...itemOf(rule, found) }
    const changes: Change[] = []
    for (const [position, rule] of given.entries()) {
      const old = before.get(rule.key)
      before.delete(rule.key)
      const wanted = rowOf(rule, position, found)
      const after = old ? save(org, old, wanted) : create(org, wanted)
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

  return { all, show, apply }
}

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

const inOrder = ({ from, subject, text, sender }: Conditions): Conditions => ({
  ...(from === undefined ? {} : { from }),
  ...(subject === undefined ? {} : { subject }),
  ...(text === undefined ? {} : { text }),
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
