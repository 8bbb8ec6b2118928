import { createElement } from 'preact'
import { PATHS } from '../../lib/pure/nouns.ts'
import { Avatar } from '../components/avatar.tsx'
import type { Choice } from '../components/choices.tsx'
import { loadFigures } from '../components/fields/figures.ts'
import type { Linked, Sources } from '../components/fields/sources.ts'
import { pathWith } from '../data/api.ts'
import { awayNote } from '../data/away.ts'
import { boot } from '../data/boot.ts'
import { client } from '../data/current.ts'
import { nameOf } from '../data/names.ts'
import { create, record } from '../data/records.ts'
import type { Rec } from '../data/types.ts'
import { format } from '../lib/locale.ts'

// Where fields find the records that they name, in the app: see components/fields/sources.ts.

const choiceOf =
  (kind: Linked) =>
  (found: Rec): Choice => {
    const name = String(found.name ?? found.title)
    const note = kind === 'contact' && found.company_id ? nameOf('companies', String(found.company_id)) : undefined
    return {
      value: found.id,
      label: name,
      ...(note === undefined ? {} : { note }),
      ...(kind === 'deal' ? {} : { mark: createElement(Avatar, { kind, name }) }),
    }
  }

async function search(kind: Linked, typed: string, signal: AbortSignal): Promise<Choice[]> {
  const { api, store } = client()
  const since = store.moment()
  const query = { limit: 20, q: typed.trim() === '' ? undefined : typed.trim().slice(0, 255) }
  const { data } = await api.get<{ data: Rec[] }>(pathWith(`/api/v1/${PATHS[kind]}`, query))
  if (signal.aborted) return []
  for (const each of data) store.accept(PATHS[kind], each, { since })
  return data.map(choiceOf(kind))
}

async function createNamed(kind: Linked | 'tag', name: string): Promise<Choice | null> {
  if (kind === 'tag') {
    const { id } = await create('tags', { name })
    return { value: id, label: name }
  }
  const fields =
    kind === 'contact'
      ? (await loadFigures()).typedNames(name, format.value.tag)
      : kind === 'company'
        ? { name }
        : { title: name }
  const { id } = await create(PATHS[kind], fields)
  return { value: id, label: name }
}

/** Tags as boot had them, and as they are now. */
const tags = () =>
  boot.value.tags.flatMap((tag) => (record('tags', tag.id).value === null ? [] : [record('tags', tag.id).value ?? tag]))

export const sources: Sources = {
  members: () => boot.value.members,
  memberNote: awayNote,
  tags,
  nameOf: (kind, id) => nameOf(PATHS[kind], id),
  hrefOf: (kind, id) => `/${PATHS[kind]}/${id}`,
  search: (kind) => (typed, signal) => search(kind, typed, signal),
  create: createNamed,
  currency: () => boot.value.org.currency,
  country: () => boot.value.org.country ?? undefined,
}
