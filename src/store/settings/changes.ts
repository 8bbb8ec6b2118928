import { same } from '../../lib/merge.ts'
import { type FieldError, field } from '../../lib/problem.ts'

type Fields = Record<string, unknown>

/** The change of one item when a document is applied; a missing side counts as null in every field. */
export type Change = {
  section: string
  key: string
  action: 'created' | 'updated' | 'removed' | 'deactivated' | 'activated'
  fields: Record<string, { from: unknown; to: unknown }>
}

/** Returns the change between two states of an item in the named fields, or nothing if they are equal. */
export function changesOf(
  section: string,
  key: string,
  before: Fields | undefined,
  after: Fields | undefined,
  names: readonly string[],
): Change[] {
  const fields: Change['fields'] = {}
  for (const name of names) {
    const [from, to] = [before?.[name] ?? null, after?.[name] ?? null]
    if (!same(from, to)) fields[name] = { from, to }
  }
  if (Object.keys(fields).length === 0) return []
  return [{ section, key, action: actionOf(before, after, fields), fields }]
}

function actionOf(before: unknown, after: unknown, { status, is_active }: Change['fields']): Change['action'] {
  if (!before) return 'created'
  if (!after) return 'removed'
  if (status?.to === 'active' || is_active?.to === true) return 'activated'
  if (status?.to === 'deactivated' || status?.to === 'archived' || is_active?.to === false) return 'deactivated'
  return 'updated'
}

/** Returns an error for every key that occurred earlier in the array; `keyName` is the member that contains it. */
export function repeatedKeys(pointer: string, keys: readonly string[], keyName = 'key'): FieldError[] {
  return keys.flatMap((key, index) =>
    keys.indexOf(key) === index
      ? []
      : [field(`${pointer}/${index}/${keyName}`, 'duplicate', `must be different from every other ${keyName} here`)],
  )
}

/** Returns an error for every default but the first. */
export function secondDefaults(pointer: string, given: readonly { key: string; is_default?: boolean }[]): FieldError[] {
  const first = given.findIndex(({ is_default }) => is_default)
  return given.flatMap(({ is_default }, index) => {
    if (!is_default || index === first) return []
    const message = `must be false because "${given[first]?.key}" is the default already, and only one can be`
    return [field(`${pointer}/${index}/is_default`, 'second_default', message)]
  })
}
