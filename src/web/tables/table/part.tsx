import type { HTMLAttributes, Ref } from 'preact'

/**
 * A part of a grid, by its role. Elements of a table cannot hold a part of many rows: those that are not in the page would
 * have no place.
 */
export function Part(props: Omit<HTMLAttributes<HTMLDivElement>, 'ref'> & { ref?: Ref<HTMLDivElement> }) {
  return <div {...props} />
}
