import { computed, type ReadonlySignal } from '@preact/signals'
import { boot, me, page } from '../../data/boot.ts'
import { client } from '../../data/current.ts'
import { isAdmin } from '../../data/may.ts'
import type { View } from '../../data/types.ts'

// The saved views of the member: their own, and those that others share. Each change is answered by the server first.

export type { View } from '../../data/types.ts'

/** Those of one kind of records, in their order. */
export const viewsOf = (object: View['object']): ReadonlySignal<readonly View[]> =>
  computed(() =>
    boot.value.views
      .filter((view) => view.object === object)
      .sort((one, other) => one.position - other.position || (one.id < other.id ? -1 : 1)),
  )

export const findView = (id: string | null): View | undefined => boot.value.views.find((view) => view.id === id)

/** Shared views are changed by their owner and by admins. */
export const mayChange = (view: View): boolean => view.owner_id === me.value.id || isAdmin()

export type NewView = Pick<View, 'object' | 'name' | 'shape' | 'is_shared' | 'is_pinned' | 'query'>

/** All of them throw ApiProblem and NoAnswer. */
export async function createView(given: NewView): Promise<View> {
  const views = boot.peek().views.filter(({ object }) => object === given.object)
  const position = Math.max(-1, ...views.map((view) => view.position)) + 1
  return put((await client().api.request<View>('POST', '/app/views', { body: { ...given, position } })).body)
}

export async function changeView(view: View, change: Partial<NewView>): Promise<View> {
  return put((await client().api.request<View>('PATCH', `/app/views/${view.id}`, { body: change })).body)
}

export async function removeView(view: View): Promise<void> {
  await client().api.request('DELETE', `/app/views/${view.id}`)
  set(boot.peek().views.filter(({ id }) => id !== view.id))
}

/** Somebody, or another tab of mine, changed views. */
export async function reloadViews(): Promise<void> {
  const { data } = await client().api.get<{ data: View[] }>('/app/views?limit=100')
  set(data)
}

function put(view: View): View {
  set([...boot.peek().views.filter(({ id }) => id !== view.id), view])
  return view
}

function set(views: View[]): void {
  const now = page.peek()
  if (now?.signed_in) page.value = { ...now, views }
}
