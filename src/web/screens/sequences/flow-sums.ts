import type { Flow } from './wire.ts'

type Group = Flow['groups'][number]

const isLeft = ({ status }: Pick<Group, 'status'>): boolean => status === 'stopped' || status === 'failed'

/** Who left after so many steps, and why: most first. */
export function exitsAt(groups: readonly Group[], done: number): { reason: string; count: number }[] {
  return counted(groups.filter((group) => group.done === done && isLeft(group)))
}

/** Where all of them are: who is under way is `live`, the others by why they left it, or `completed`. */
export function shares(all: Flow['all']): { name: string; count: number }[] {
  const counts = (test: (group: Flow['all'][number]) => boolean): number =>
    all.filter(test).reduce((sum, { count }) => sum + count, 0)
  const live = counts((group) => !isLeft(group) && group.status !== 'completed')
  const completed = counts(({ status }) => status === 'completed')
  const left = counted(all.filter(isLeft)).map(({ reason, count }) => ({ name: reason, count }))
  return [{ name: 'live', count: live }, { name: 'completed', count: completed }, ...left]
}

function counted(groups: readonly Pick<Group, 'stop_reason' | 'count'>[]): { reason: string; count: number }[] {
  return [...Map.groupBy(groups, ({ stop_reason }) => stop_reason ?? 'error')]
    .map(([reason, own]) => ({ reason: reason as string, count: own.reduce((sum, { count }) => sum + count, 0) }))
    .sort((one, other) => other.count - one.count)
}
