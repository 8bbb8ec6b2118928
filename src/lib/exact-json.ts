type Reviver = (this: unknown, name: string, value: unknown, context: { source?: string }) => unknown

/** Missing from the types of the library. */
const raw = JSON as unknown as { rawJSON: (text: string) => unknown; isRawJSON: (value: unknown) => boolean }

/** Whether the value is a number as it was written. */
export const isExact = (value: unknown): boolean => raw.isRawJSON(value)

/**
 * Parses JSON that will be written again: numbers stay as they are written, since an amount may have more digits than a
 * number of JavaScript. `change` gets every other value, the inner ones first.
 */
export function parseExactly(
  json: string,
  change: (name: string, value: unknown) => unknown = (_, value) => value,
): unknown {
  const revive: Reviver = (name, value, { source }) =>
    typeof value === 'number' ? raw.rawJSON(source as string) : isExact(value) ? value : change(name, value)
  return JSON.parse(json, revive as (this: unknown, key: string, value: unknown) => unknown)
}
