import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import type { BoardRow } from '../../data/board-row.ts'
import type { Anchor } from '../../lib/place.ts'
import type { BoardStage } from '../../tables/deals/model.ts'
import { type Around, arrange, type Column, comparingIn, type Question } from './arrange.ts'
import { type ShownColumn, shownColumn } from './hold.ts'
import { type Lift, liftCard, stepLift, type Target, targetOf } from './lift.ts'
import { placeIn } from './order.ts'
import { between, type Way, walk } from './walk.ts'

// What the board shows and what is done on it, as signals, without a page.

/** A card in the hand of the pointer; `ids` are all that go with it. Coordinates are those of the window. */
export type Drag = { row: BoardRow; ids: readonly string[]; width: number; x: number; y: number; over: Target | null }

export type PopupKind = 'menu' | 'stage' | 'owner' | 'tags' | 'amount' | 'date' | 'won' | 'lost'
/** What is open at a card, for the deals that it acts on. */
export type Popup = {
  kind: PopupKind
  ids: readonly string[]
  anchor: Anchor
  /** The deals as they were when it was opened. */
  taken: readonly BoardRow[]
}

export type BoardInputs = {
  rows: ReadonlySignal<readonly BoardRow[]>
  stages: ReadonlySignal<readonly BoardStage[]>
  question: ReadonlySignal<Question>
  around: ReadonlySignal<Around>
}

const NONE: readonly string[] = []

export type BoardState = ReturnType<typeof boardState>

export function boardState({ rows, stages, question, around }: BoardInputs) {
  /** The card that has the focus, or had it last. */
  const at = signal<string | null>(null)
  const selection = signal<ReadonlySet<string>>(new Set())
  const drag = signal<Drag | null>(null)
  const lift = signal<Lift | null>(null)
  /** What is in the hand, as it was when it was taken. */
  const taken = signal<readonly BoardRow[]>([])
  const popup = signal<Popup | null>(null)
  /** The stage whose column has the form for a new deal open. */
  const adding = signal<string | null>(null)
  /** The title that the form of a new deal begins with. */
  const begun = signal('')
  const folded = signal<ReadonlySet<string>>(new Set())
  /** The cards of columns that do not move now, as they were when they were held. */
  const held = signal<ReadonlyMap<string, readonly BoardRow[]>>(new Map())
  /** Deals that I made here: they are shown at once. */
  const own = signal<ReadonlySet<string>>(new Set())
  let anchor: string | null = null

  const byId = computed(() => new Map(rows.value.map((row) => [row.id, row])))
  const columns = computed(() => arrange(rows.value, stages.value, question.value, around.value))
  const shown = computed((): ShownColumn[] =>
    columns.value.map((column) => shownColumn(column, held.value.get(column.stage.id) ?? null, find, own.value)),
  )
  /** The ids of the cards that are shown, by column; folded columns have none. */
  const ids = computed(() =>
    shown.value.map(({ stage, cards }) =>
      folded.value.has(stage.id) ? [] : cards.filter(({ movedTo }) => movedTo === undefined).map(({ row }) => row.id),
    ),
  )
  const selected = computed(() => [...selection.value].filter((id) => byId.value.has(id)))
  const target = computed((): Target | null =>
    lift.value ? targetOf(lift.value) : drag.value ? drag.value.over : null,
  )
  /** The deal that is in the hand, by pointer or keys. */
  const inHand = computed(() => (lift.value ? find(lift.value.id) : drag.value?.row))

  /** All that are in the hand of the pointer: the same array while it moves. */
  const dragged = computed((): readonly string[] => drag.value?.ids ?? NONE)

  function find(id: string): BoardRow | undefined {
    return byId.value.get(id)
  }

  /** A selected card takes the whole selection along; the one that was taken comes first. */
  function takenWith(id: string): string[] {
    const others = selection.peek().has(id) ? selected.peek().filter((each) => each !== id) : []
    return [id, ...others]
  }

  function take(id: string): string[] {
    const all = takenWith(id)
    taken.value = all.flatMap((each) => byId.peek().get(each) ?? [])
    return all
  }

  /** Returns what was in the hand, as it was then. */
  function letGo(): readonly BoardRow[] {
    const before = taken.peek()
    taken.value = []
    return before
  }

  /** Where the deal would stand in a column: it comes into the stage now. */
  function placeOf(row: BoardRow, stage: string): { at: number; of: number } {
    const column = columns.value.find((each) => each.stage.id === stage)
    const moved = row.stage_id === stage ? row : { ...row, stage_id: stage, stage_changed_at: around.peek().now }
    const others = (column?.rows ?? []).filter(({ id }) => id !== row.id)
    const compare = comparingIn(stages.value, question.value.sort, around.value)
    return { at: placeIn(others, moved, compare), of: others.length + 1 }
  }

  /** Keeps the column as it is, while the pointer or the focus is in it. */
  function hold(stage: string): void {
    if (held.peek().has(stage)) return
    const column = columns.peek().find((each) => each.stage.id === stage)
    if (column) held.value = new Map([...held.peek(), [stage, column.rows]])
  }

  function release(stage: string): void {
    if (!held.peek().has(stage)) return
    held.value = new Map([...held.peek()].filter(([id]) => id !== stage))
  }

  /** After a change of my own, what I hold is what is there now. */
  function holdAnew(): void {
    if (held.peek().size === 0) return
    const now = new Map(columns.peek().map((column): [string, Column] => [column.stage.id, column]))
    held.value = new Map([...held.peek()].map(([stage]) => [stage, now.get(stage)?.rows ?? []]))
  }

  function welcome(id: string): void {
    own.value = new Set([...own.peek(), id])
  }

  /** Returns the card that has the focus then; undefined if there is none in that direction. */
  function step(way: Way): string | undefined {
    const next = walk(ids.peek(), at.peek(), way)
    if (next !== undefined) at.value = next
    return next
  }

  function select(id: string, isSelected: boolean): void {
    const next = new Set(selection.peek())
    if (isSelected) next.add(id)
    else next.delete(id)
    anchor = id
    selection.value = next
  }

  const toggle = (id: string): void => select(id, !selection.peek().has(id))

  /** Selects from the card that was selected last up to this one, in the same column. */
  function extendTo(id: string): void {
    anchor ??= at.peek()
    selection.value = new Set([...selection.peek(), ...between(ids.peek(), anchor, id)])
    at.value = id
  }

  function clearSelection(): void {
    anchor = null
    selection.value = new Set()
  }

  function fold(stage: string, isFolded: boolean): void {
    const next = new Set(folded.peek())
    if (isFolded) next.add(stage)
    else next.delete(stage)
    folded.value = next
  }

  /** The deals that a command acts on: the selection, else the card that has the focus. */
  function targets(): string[] {
    const focused = at.peek()
    if (selected.peek().length > 0) return selected.peek()
    return focused !== null && byId.peek().has(focused) ? [focused] : []
  }

  function liftAt(id: string): void {
    const row = byId.peek().get(id)
    const open = stages.peek().map((stage) => stage.id)
    if (row) lift.value = liftCard(id, row.stage_id, open)
  }

  /** What a key does with the lifted card; null if the key means nothing for it. */
  function press(key: string) {
    const now = lift.peek()
    const next = now && stepLift(now, key)
    if (!now || !next) return null
    lift.value = 'lift' in next ? next.lift : null
    return { ...next, id: now.id }
  }

  return {
    rows,
    stages,
    question,
    around,
    at,
    selection: selection as ReadonlySignal<ReadonlySet<string>>,
    selected,
    drag,
    lift: lift as ReadonlySignal<Lift | null>,
    popup: popup as Signal<Popup | null>,
    closePopup: () => {
      popup.value = null
    },
    adding,
    begun,
    folded: folded as Signal<ReadonlySet<string>>,
    columns,
    shown,
    ids,
    target,
    inHand,
    dragged,
    takenWith,
    taken: taken as ReadonlySignal<readonly BoardRow[]>,
    take,
    letGo,
    find: (id: string) => byId.peek().get(id),
    placeOf,
    hold,
    release,
    holdAnew,
    welcome,
    step,
    select,
    toggle,
    extendTo,
    clearSelection,
    fold,
    targets,
    liftAt,
    press,
  }
}
