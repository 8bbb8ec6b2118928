import { pluralOf } from '../plural.ts'

const { count } = pluralOf('en')
type Words = Readonly<Record<string, { one: string; other: string }>>

const OPEN: Words = {
  deals: { one: 'open deal', other: 'open deals' },
  tasks: { one: 'open task', other: 'open tasks' },
  contacts: { one: 'contact', other: 'contacts' },
  companies: { one: 'company', other: 'companies' },
  conversations: { one: 'open conversation', other: 'open conversations' },
  meetings: { one: 'planned meeting', other: 'planned meetings' },
  enrollments: { one: 'running sequence', other: 'running sequences' },
  lists: { one: 'list', other: 'lists' },
  views: { one: 'shared view', other: 'shared views' },
}

const FINISHED: Words = {
  deals: { one: 'closed deal', other: 'closed deals' },
  tasks: { one: 'finished task', other: 'finished tasks' },
  conversations: { one: 'closed conversation', other: 'closed conversations' },
  meetings: { one: 'past meeting', other: 'past meetings' },
}

const ALL: Words = {
  ...OPEN,
  deals: { one: 'deal', other: 'deals' },
  tasks: { one: 'task', other: 'tasks' },
  conversations: { one: 'conversation', other: 'conversations' },
  meetings: { one: 'meeting', other: 'meetings' },
}

const RECORD = { one: 'record', other: 'records' }

export const en = {
  open: (kind: string, number: number) => count(number, OPEN[kind] ?? RECORD),
  finished: (kind: string, number: number) => count(number, FINISHED[kind] ?? RECORD),
  all: (kind: string, number: number) => count(number, ALL[kind] ?? RECORD),
  records: (number: number) => count(number, RECORD),
  handedOver: (name: string, what: string) => `Hand-over from ${name}: ${what}`,
  gotFrom: (by: string | undefined, name: string) =>
    by ? `${by} handed over to you what ${name} had` : `You got what ${name} had`,
  until: (what: string, day: string) => `${what}, until ${day}`,
  cameBack: 'You are back, and so is your work',
}
