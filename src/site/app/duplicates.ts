import * as v from 'valibot'
import { mergeStore } from '../../cleanup/merges/merges.ts'
import { suspectedPairs } from '../../cleanup/merges/pairs.ts'
import type { Deps } from '../../deps.ts'
import type { DataRoute, Need, Route } from '../../http/route.ts'
import * as f from '../../lib/fields.ts'
import { UUID } from '../../lib/id.ts'
import { notFound, Problem } from '../../lib/problem.ts'

// Records that may be the same, and their merges.

const OBJECTS = ['contact', 'company'] as const
type Object = (typeof OBJECTS)[number]

const CHOICES = 'Names of the fields that take the value of the merged record.'
const KEPT = 'Names of the fields that stay as the kept record has them, also where it has nothing.'

const names = (description: string) =>
  f.optional(f.doc(v.pipe(v.array(f.line(255)), v.maxLength(200, 'too_many|must have at most 200 items')), description))

const MergeCreate = f.object({
  object: f.oneOf(OBJECTS),
  kept_id: f.id,
  merged_id: f.id,
  choices: names(CHOICES),
  kept_choices: names(KEPT),
})
type MergeCreate = v.InferOutput<typeof MergeCreate>

const Merge = f.object({
  id: f.id,
  object: f.oneOf(OBJECTS),
  kept_id: f.id,
  merged_id: f.id,
  member_id: v.nullable(f.id),
  merged_at: f.time,
  undone_at: v.nullable(f.time),
})

const object = { schema: { type: 'string' as const, enum: [...OBJECTS] }, description: 'Of which kind.' }

export function duplicateRoutes(deps: Deps): Route<Need>[] {
  const merges = mergeStore(deps)
  const pairs = suspectedPairs(deps)

  const list: DataRoute = {
    kind: 'data',
    method: 'get',
    path: '/duplicates',
    role: 'member',
    name: 'pair of duplicates',
    summary: 'List records that may be the same',
    description: 'A page may have fewer pairs than its limit, or none, and still have a next page.',
    parameters: { object },
    paged: true,
    read: ({ org }, _, { given, limit, after, cursorAt }) => {
      const page = pairs.find(org, objectOf(given), limit, after?.id)
      const next = page.more && page.last ? cursorAt({ key: 0, id: page.last }) : null
      return { json: JSON.stringify({ data: page.pairs, looked: page.looked, next_cursor: next }), next }
    },
  }

  const preview: DataRoute = {
    kind: 'data',
    method: 'get',
    path: '/merges/preview',
    role: 'member',
    name: 'merge',
    summary: 'Show the record that a merge would leave',
    parameters: {
      object,
      kept_id: { schema: { type: 'string' }, description: 'The record that stays.' },
      merged_id: { schema: { type: 'string' }, description: 'The record that is merged into it.' },
      choices: { schema: { type: 'string', maxLength: 8000 }, description: `${CHOICES} Separated by commas.` },
      kept_choices: { schema: { type: 'string', maxLength: 8000 }, description: `${KEPT} Separated by commas.` },
    },
    read: (who, _, { given }) => {
      const [kept, merged] = [idOf(given, 'kept_id'), idOf(given, 'merged_id')]
      const [choices, own] = ['choices', 'kept_choices'].map(
        (name) => given.get(name)?.split(',').filter(Boolean) ?? [],
      ) as [string[], string[]]
      return { json: JSON.stringify(merges.preview(who, objectOf(given), kept, merged, choices, own)) }
    },
  }

  return [
    list,
    preview,
    {
      kind: 'write',
      method: 'post',
      path: '/merges',
      role: 'member',
      name: 'merge',
      summary: 'Merge two records',
      body: MergeCreate,
      returns: Merge,
      status: 201,
      audit: {
        action: 'merge.made',
        detail: ({ body }) => {
          const { object, kept_id, merged_id } = body as MergeCreate
          return { object, kept_id, merged_id }
        },
      },
      run: ({ who, body }) => {
        const { object: of, kept_id, merged_id, choices, kept_choices } = body as MergeCreate
        return merges.merge(who, of, kept_id, merged_id, choices, kept_choices)
      },
    },
    {
      kind: 'write',
      method: 'post',
      path: '/merges/:id/undo',
      role: 'member',
      name: 'merge',
      summary: 'Undo a merge',
      status: 200,
      audit: { action: 'merge.undone' },
      find: (who, id) => ({ ...merges.find(who, id as string), version: 1 }),
      run: ({ who, record }) => merges.undo(who, record.id),
    },
  ]
}

function objectOf(given: ReadonlyMap<string, string>): Object {
  const name = given.get('object')
  if (name !== undefined) return name as Object
  throw new Problem(400, 'invalid_query', 'The parameter "object" is required: contact or company.')
}

function idOf(given: ReadonlyMap<string, string>, name: string): string {
  const id = given.get(name)
  if (id !== undefined && UUID.test(id)) return id
  throw notFound()
}
