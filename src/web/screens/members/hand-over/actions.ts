import { signal } from '@preact/signals'
import { showToast } from '../../../components/toast.tsx'
import { boot, me, page } from '../../../data/boot.ts'
import { client } from '../../../data/current.ts'
import { isAdmin } from '../../../data/may.ts'
import type { Member, SignedIn } from '../../../data/types.ts'
import { serverNow } from '../../../lib/server-time.ts'
import { texts as workTexts } from '../../../lib/texts/work/texts.ts'
import { dateIn } from '../../../lib/zoned.ts'
import { followBulk } from '../../../shell/follow-bulk.ts'
import { attempt } from '../../../shell/pages/attempt.ts'
import { changeMember, mayChange } from '../actions.ts'
import { texts as memberTexts } from '../texts.ts'
import { bodyOf, type Counts, type Plan, sumOf, type Work } from './plan.ts'
import { texts } from './texts.ts'

// What members have, and handing it over.

export type Asked = { member: Member; work: Work; isLeaving: boolean }

/** The hand-over that the dialog is about. */
export const asked = signal<Asked | undefined>(undefined)

/** What deactivated members still have. */
export const left = signal<ReadonlyMap<string, Counts>>(new Map())

const api = () => client().api

/** Administrators hand over also what they have themselves. */
export const mayHandOver = (member: Member): boolean => mayChange(member) || (isAdmin() && member.id === me.value.id)

export const readWork = (id: string): Promise<Work> => api().get<Work>(`/app/members/${id}/work`)

export async function readLeft(): Promise<void> {
  if (!isAdmin()) return
  const { data } = await api().get<{ data: { id: string; open: Counts }[] }>('/app/members/left')
  left.value = new Map(data.map(({ id, open }) => [id, open]))
}

/** The members and who is away, as they are now. */
async function readMembers(): Promise<void> {
  const { members, away } = await api().get<SignedIn>('/app/boot')
  page.value = { ...boot.peek(), members, away }
  await readLeft()
}

/** Asks what becomes of what the member has. Where there is nothing, deactivating asks nothing. */
export async function askHandOver(member: Member, isLeaving: boolean): Promise<void> {
  const work = await attempt(() => readWork(member.id))
  if (!work) return
  if (isLeaving && sumOf(work.open) === 0)
    await changeMember(member, { status: 'deactivated' }, memberTexts().deactivated(member.name))
  else asked.value = { member, work, isLeaving }
}

/** Resolves when the server has begun. Throws ApiProblem and NoAnswer: then nothing has happened. */
export async function handOver({ member, work, isLeaving }: Asked, plan: Plan): Promise<void> {
  const { body } = await api().request<{ id: string }>('POST', `/app/members/${member.id}/hand-over`, {
    body: bodyOf(work, plan, isLeaving),
  })
  asked.value = undefined
  void attempt(() => follow(body.id, member, isLeaving))
}

async function follow(id: string, { id: memberId, name }: Member, isLeaving: boolean): Promise<void> {
  await readMembers()
  const words = texts()
  const state = await followBulk(id, words.working, words.stop)
  await readMembers()
  const given = workTexts().records(state.done - state.failed_count)
  const kept = state.total - state.done + state.failed_count
  const isAway = boot.peek().away[memberId] !== undefined
  const text = isLeaving ? words.left(name, given) : isAway ? words.lent(name, given) : words.given(name, given)
  if (kept > 0) showToast({ kind: 'error', text: words.some(text, workTexts().records(kept), name) })
  else showToast({ text, step: `bulk-${id}` })
}

/** Another date of return; null: everything comes back now. */
export async function changeAway({ id, name }: Member, returnsOn: string | null): Promise<void> {
  const said = returnsOn === null ? texts().back(name) : texts().dateChanged
  await attempt(() => api().request('POST', `/app/members/${id}/away`, { body: { returns_on: returnsOn } }), said)
  await readMembers()
}

const DAY_MS = 86_400_000

/** Days are those of the organisation. */
export const tomorrow = (): string => dateIn(serverNow() + DAY_MS, boot.peek().org.timezone)
