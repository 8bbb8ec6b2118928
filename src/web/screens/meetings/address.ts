import { computed } from '@preact/signals'
import { boot, me } from '../../data/boot.ts'
import type { Query } from '../../data/pages.ts'
import type { Meeting } from '../../data/types.ts'
import { query } from '../../lib/router.ts'
import { today } from '../../lib/today.ts'
import { weekOf } from './rows.ts'

// What the list shows stands in its address: ?view=past&who=me&status=completed&q=gateway, ?view=week&week=2026-11-23.

export const VIEWS = ['upcoming', 'past', 'week'] as const
export type View = (typeof VIEWS)[number]
export const STATUSES: readonly Meeting['status'][] = ['scheduled', 'completed', 'no_show', 'canceled']

/** A record that the meetings are about, by the name of the filter. */
export const ABOUT = { company_id: 'companies', deal_id: 'deals', contact_id: 'contacts' } as const
export type About = keyof typeof ABOUT
const ABOUT_NAMES = Object.keys(ABOUT) as About[]

export type State = {
  view: View
  q: string
  /** `me`, the id of a member, or empty for everybody. */
  who: string
  status: Meeting['status'] | ''
  about: { name: About; id: string } | undefined
  /** The first day of the week that is shown. */
  week: string
}

const DAY = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/

export const state = computed((): State => {
  const given = query.value
  const week = given.get('week') ?? ''
  const about = ABOUT_NAMES.find((name) => given.get(name))
  const view = VIEWS.find((each) => each === given.get('view')) ?? 'upcoming'
  return {
    view,
    q: (given.get('q') ?? '').trim(),
    who: given.get('who') ?? '',
    status: STATUSES.find((each) => each === given.get('status')) ?? '',
    about: about && { name: about, id: given.get(about) ?? '' },
    week: weekOf(isDay(week) ? week : today.value, boot.value.first_weekday),
  }
})

const isDay = (text: string): boolean => DAY.test(text) && !Number.isNaN(Date.parse(text))

/** The filters as the API takes them. */
export const filterOf = ({ who, status, about, q }: State): Query => ({
  ...(who === '' ? {} : { member_id: who === 'me' ? me.peek().id : who }),
  ...(status === '' ? {} : { status }),
  ...(about ? { [about.name]: about.id } : {}),
  ...(q === '' ? {} : { q: q.slice(0, 255) }),
})
