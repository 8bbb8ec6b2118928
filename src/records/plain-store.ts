import type { Deps } from '../deps.ts'
import type { EventName } from '../events/names.ts'
import type { RecordedEvent } from '../events/outbox.ts'
import type { Caller } from '../lib/caller.ts'
import { change } from '../lib/merge.ts'
import type { Columns } from '../store/rows/columns.ts'
import { rows } from '../store/rows/rows.ts'
import { newRow, nextRow, type Versioned } from '../store/rows/versions.ts'

type Stored = { id: string } & Versioned

/** The resources whose events say that one was created, changed and deleted. */
type Kind = {
  [Name in EventName]: Name extends `${infer Of}.created`
    ? `${Of}.updated` | `${Of}.deleted` extends EventName
      ? Of
      : never
    : never
}[EventName]

type Plain<Shape extends Stored> = {
  /** As in its events: `tag` makes `tag.created`. */
  kind: Kind
  table: string
  columns: Columns<Shape>
  /** Every field of a new record, in the order of the wire form; what a create needs is given. */
  blank: Omit<Shape, keyof Stored>
  /** The rules for the record as it will be; `before` is that of a change. Throws Problem 4xx. */
  check?: (who: Caller, after: Shape, before?: Shape) => void
  /** Writes what is beside its row, such as links and search words. */
  also?: (org: number, after: Shape, before?: Shape) => void
}

const none = (): void => undefined

/**
 * What a resource writes that has no rules of its own but `check`: references and rules are looked at first, then come the row, what
 * is beside it, the event, and the reactions to that.
 */
export function plainStore<Shape extends Stored>(
  { db, clock, references, announce }: Deps,
  { kind, table, columns, blank, check = none, also = none }: Plain<Shape>,
) {
  const row = rows(db, table, columns)

  /** Takes no flags: what a route passes behind the body must not become a field. */
  const create = (who: Caller, given: Partial<Shape>): Shape => createWith(who, given, {})

  /** `own` are fields that no caller gives. */
  function createWith(who: Caller, given: Partial<Shape>, own: Partial<Shape>): Shape {
    references.check(who.org, given)
    const made = newRow(clock, { ...blank, ...given, ...own }) as unknown as Shape
    check(who, made)
    restore(who.org, made)
    announce(who, `${kind}.created`, made)
    return made
  }

  /** Writes a record unchanged, without an event. */
  function restore(org: number, record: Shape): void {
    row.insert(org, record)
    also(org, record)
  }

  function patch(who: Caller, before: Shape, given: Partial<Shape>): Shape {
    const { after, changed } = change(before, given)
    if (changed.length === 0) return before
    references.check(who.org, Object.fromEntries(changed.map((name) => [name, after[name]])))
    check(who, after, before)
    return save(who, before, after)
  }

  /** Writes a change that nothing has to be asked about, such as of a reference to a record that goes. */
  function save(who: Caller, before: Shape, given: Shape): Shape {
    const after = nextRow(clock, given)
    row.update(who.org, before, after)
    also(who.org, after, before)
    announce(who, `${kind}.updated`, after, before)
    return after
  }

  function remove(who: Caller, record: Shape): RecordedEvent {
    row.remove(who.org, record.id) // deletes its rows in the link tables, too
    return announce(who, `${kind}.deleted`, record)
  }

  return { create, createWith, restore, patch, save, remove }
}
