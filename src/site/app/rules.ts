import * as v from 'valibot'
import type { Deps } from '../../deps.ts'
import { createRoute, type Need, type Route } from '../../http/route.ts'
import type { Caller } from '../../lib/caller.ts'
import * as f from '../../lib/fields.ts'
import { LANGUAGES, loadLanguages } from '../../lib/language.ts'
import { dryRuns } from '../../mail/rules/dry-run.ts'
import { type RuleShown, ruleEdits } from '../../mail/rules/edits.ts'
import { RuleForm, RulePatch, ruleSettings } from '../../mail/rules/settings.ts'
import { noticeQueue } from '../../personal/notices.ts'

const afterId = f.doc(f.nullable(f.id), 'The rule that it comes behind; null for the first place.')
const Before = f.object({ id: f.id, key: f.line(63), version: f.count(1_000_000_000) })
const Create = f.object({
  ...RuleForm.entries,
  after_id: f.optional(afterId),
  before: f.optional(
    f.doc(Before, 'Of a rule that was deleted and goes on: it does not act again where it has acted.'),
  ),
})
const Place = f.object({ after_id: afterId })
const Try = f.object({
  rule: f.optional(f.doc(RuleForm, 'One that is not saved; without it, all are tried as they are.')),
  id: f.optional(f.doc(f.id, 'The rule that it takes the place of; otherwise it is tried as the last one.')),
})
const Rule = f.object({ id: f.id, key: f.line(63), ...RuleForm.entries, ...f.recordFields })

/** The rules of the settings for the screens: read by everybody, changed by administrators, one at a time. */
export const ruleRoutes = (deps: Deps): Route<Need>[] => {
  const { dryRun } = dryRuns(deps)
  const rules = ruleSettings(deps)
  const { all, find, create, patch, remove, move, wouldBe } = ruleEdits(deps)
  const notices = noticeQueue(deps)
  /** Other pages follow. */
  function told<Made>({ org }: Caller, made: Made): Made {
    notices.put(org, null, { kind: 'rules' })
    return made
  }
  const admin = { role: 'admin', name: 'rule' } as const
  const ofOne = { ...admin, kind: 'write', find } as const
  return [
    {
      kind: 'data',
      method: 'get',
      path: '/rules',
      role: 'viewer',
      name: 'rule',
      summary:
        'Get the rules for mails that come in, in their order, and the mailboxes and languages that they can name',
      read: ({ org }) => ({
        json: JSON.stringify({ data: all(org), mailboxes: rules.mailboxesOf(org), languages: LANGUAGES }),
      }),
    },
    {
      kind: 'write',
      method: 'post',
      path: '/rules/try',
      role: 'viewer',
      name: 'rule',
      summary: 'Try rules with the last 100 mails that came in',
      description:
        'Nothing is changed by it. `hits` are the mails that a rule fits, newest first, and `silence` is why it would not have answered one. Lists and empty return paths are known only while a mail comes in.',
      body: Try,
      returns: v.looseObject({}),
      status: 200,
      async prefetch(body, { org }) {
        const given = (body as { rule?: { when?: { language?: unknown } } } | null)?.rule?.when?.language
        if (given !== undefined || rules.asksLanguage(org)) await loadLanguages()
      },
      run: ({ who, body }) => {
        const { rule, id } = body as v.InferOutput<typeof Try>
        const tried = dryRun(who.org, rule ? wouldBe(who.org, rule, id) : rules.all(who.org))
        const isMeant =
          rule && (id === undefined ? tried.rules.at(-1) : tried.rules.find((each) => each.rule.id === id))
        const shown = rule ? [isMeant ?? tried.rules.at(-1)] : tried.rules
        return {
          looked: tried.looked,
          data: shown.flatMap((each) => (each ? [{ id: each.rule.id, hits: each.hits }] : [])),
        }
      },
    },
    createRoute({
      ...admin,
      path: '/rules',
      summary: 'Add a rule',
      body: Create,
      returns: Rule,
      audit: { action: 'rule.created' },
      run: ({ who, body }) => told(who, create(who, body)),
    }),
    {
      ...ofOne,
      method: 'patch',
      path: '/rules/:id',
      summary: 'Change a rule, or switch it on or off',
      description: '`when` and `do` are replaced as a whole. With If-Match, a change by somebody else is 412.',
      body: RulePatch,
      returns: Rule,
      status: 200,
      audit: { action: 'rule.updated' },
      run: ({ who, record, body }) => told(who, patch(who, record as unknown as RuleShown, body)),
    },
    {
      ...ofOne,
      method: 'put',
      path: '/rules/:id/place',
      operation: 'moveRule',
      summary: 'Put a rule behind another one',
      body: Place,
      returns: Rule,
      status: 200,
      audit: { action: 'rule.moved' },
      run: ({ who, record, body }) =>
        told(who, move(who, record as unknown as RuleShown, (body as v.InferOutput<typeof Place>).after_id)),
    },
    {
      ...ofOne,
      method: 'delete',
      path: '/rules/:id',
      summary: 'Delete a rule',
      status: 204,
      audit: { action: 'rule.deleted' },
      run: ({ who, record }) => void told(who, remove(who, record as unknown as RuleShown)),
    },
  ]
}
