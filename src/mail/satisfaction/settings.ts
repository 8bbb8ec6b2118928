import * as v from 'valibot'
import * as f from '../../lib/fields.ts'
import { conflict, field, invalid } from '../../lib/problem.ts'
import { rfc3339 } from '../../lib/time.ts'
import type { Store } from '../../store/open.ts'
import * as c from '../../store/rows/columns.ts'
import { type Change, changesOf } from '../../store/settings/changes.ts'
import { key } from '../../store/settings/fields.ts'
import { type Stored, settingsTable } from '../../store/settings/table.ts'
import { LANGUAGES, type Language, WORDS, type Words } from './words.ts'

const MAX_QUESTION = 200
const MAX_ANSWER = 40
const MAX_PAUSE_DAYS = 365

const words = (longest: number) =>
  v.pipe(
    f.line(longest),
    v.check((text) => /\S/.test(text) && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text), 'not_one_line|must be one line of text'),
    v.metadata({ minLength: 1, maxLength: longest }),
  )

/** Without `mailboxes`, mails of all of them ask. Words that are left out are those of the language. */
export const SatisfactionSettings = f.object({
  is_active: f.flag,
  mailboxes: f.optional(f.arrayOf(key)),
  language: f.optional(f.oneOf(LANGUAGES)),
  question: f.optional(words(MAX_QUESTION)),
  good: f.optional(words(MAX_ANSWER)),
  not_good: f.optional(words(MAX_ANSWER)),
  pause_days: f.optional(f.count(MAX_PAUSE_DAYS)),
})
export type SatisfactionSettings = v.InferOutput<typeof SatisfactionSettings>

type Satisfaction = Stored & {
  is_active: boolean
  mailbox_ids: string[] | null
  language: Language
  question: string | null
  good: string | null
  not_good: string | null
  pause_days: number
}

export const rowColumns = c.columns<Satisfaction>({
  id: c.plain('id'),
  is_active: c.bool('is_active'),
  mailbox_ids: c.json('mailbox_ids'),
  language: c.plain('language'),
  question: c.text('question'),
  good: c.text('good'),
  not_good: c.text('not_good'),
  pause_days: c.integer('pause_days'),
  created_at: c.time('created_at'),
  updated_at: c.time('updated_at'),
  version: c.integer('version'),
})

const FIELDS = ['is_active', 'mailboxes', 'language', 'question', 'good', 'not_good', 'pause_days']

/** Of an organisation that has never changed it. */
const NEVER: Satisfaction = {
  ...{ id: '', is_active: false, mailbox_ids: null, language: 'en', question: null, good: null, not_good: null },
  ...{ pause_days: 0, created_at: rfc3339(0), updated_at: rfc3339(0), version: 0 },
}

type Box = { id: string; key: string; is_active: number }

/** Call `apply` in a transaction, once the mailboxes and the organisation are written. */
export function satisfactionSettings(store: Pick<Store, 'db' | 'clock'>) {
  const { db } = store
  const { all, create, save } = settingsTable(store, 'satisfaction', rowColumns, 'id')
  const boxes = db.prepare('SELECT id, key, is_active FROM mailboxes WHERE org_id = ?')
  const publicUrl = db.prepare('SELECT public_base_url FROM orgs WHERE id = ?').pluck()

  const of = (org: number): Satisfaction => all(org)[0] ?? NEVER
  const boxesOf = (org: number): Box[] => boxes.all(org) as Box[]
  const hasPublicUrl = (org: number): boolean => publicUrl.get(org) !== null

  const show = (org: number): SatisfactionSettings => itemOf(of(org), boxesOf(org))

  function apply(org: number, given: SatisfactionSettings): Change[] {
    const known = boxesOf(org)
    const before = of(org)
    checkMailboxes(given.mailboxes ?? [], before, known)
    if (given.is_active && !hasPublicUrl(org))
      throw invalid(
        field('/satisfaction/is_active', 'no_public_base_url', 'must be false without a public_base_url of the org'),
      )
    const { mailboxes, language = 'en', question = null, good = null, not_good = null, pause_days = 0 } = given
    const ids = mailboxes?.flatMap((name) => known.find((box) => box.key === name)?.id ?? [])
    const mailbox_ids = ids ? [...new Set(ids)] : null
    const wanted = { is_active: given.is_active, mailbox_ids, language, question, good, not_good, pause_days }
    const changes = changesOf(
      'satisfaction',
      'satisfaction',
      itemOf(before, known),
      itemOf({ ...before, ...wanted }, known),
      FIELDS,
    )
    if (changes.length === 0) return changes
    if (before.version > 0) save(org, before, wanted)
    else create(org, wanted)
    return changes
  }

  /** What was named before may have been deactivated since. */
  function checkMailboxes(given: readonly string[], { mailbox_ids }: Satisfaction, known: readonly Box[]): void {
    const errors = given.flatMap((name, index) => {
      const box = known.find((each) => each.key === name)
      if (box && (box.is_active === 1 || mailbox_ids?.includes(box.id))) return []
      const message = 'must be the key of an active mailbox'
      return [field(`/satisfaction/mailboxes/${index}`, 'unknown_mailbox', message)]
    })
    if (errors.length > 0) throw invalid(...errors)
  }

  /** Throws 409 if the organisation asks by links that lead nowhere. */
  function checkPublicUrl(org: number): void {
    if (!of(org).is_active || hasPublicUrl(org)) return
    throw conflict(
      'public_base_url_in_use',
      'The org needs a public_base_url because the question of satisfaction has links. Switch it off first.',
    )
  }

  return { show, apply, checkPublicUrl, of, hasPublicUrl }
}

/** As it stands in a mail. */
export const wordsOf = ({ language, question, good, not_good }: Satisfaction): Words => {
  const usual = WORDS[language]
  return {
    language,
    question: question ?? usual.question,
    good: good ?? usual.good,
    not_good: not_good ?? usual.not_good,
  }
}

/** Without what is not chosen, so that what is shown can be applied. */
function itemOf(row: Satisfaction, known: readonly Box[]): SatisfactionSettings {
  const { is_active, mailbox_ids, language, question, good, not_good, pause_days } = row
  return {
    is_active,
    ...(mailbox_ids && {
      mailboxes: mailbox_ids.flatMap((id) => known.find((box) => box.id === id)?.key ?? []),
    }),
    language,
    ...(question !== null && { question }),
    ...(good !== null && { good }),
    ...(not_good !== null && { not_good }),
    pause_days,
  }
}
