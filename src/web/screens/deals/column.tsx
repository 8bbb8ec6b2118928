import { computed } from '@preact/signals'
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Icon } from '../../components/icon.tsx'
import { later, laterInFocus } from '../../components/later.tsx'
import { Windowed, type WindowedHandle } from '../../components/windowed.tsx'
import type { BoardRow } from '../../data/board-row.ts'
import { writes } from '../../data/writes.ts'
import { texts } from '../../tables/deals/texts/texts.ts'
import { Card } from './card.tsx'
import { ColumnHead, FoldedHead } from './column-head.tsx'
import { dragging } from './dragging.ts'
import type { ShownColumn } from './hold.ts'
import { useBoard } from './use-board.ts'
import { CARD, GAP } from './windows.ts'

const WaitingCreates = later(() => import('../../components/waiting-creates.tsx').then((m) => m.WaitingCreates))
/** A deal of mine is on its way to the server, and shown until it is there. */
export const isMaking = computed(() => writes.value.some(({ verb, kind }) => verb === 'create' && kind === 'deals'))

const QuickAdd = laterInFocus(() => import('./quick-add.tsx').then((module) => module.QuickAdd))

type CardListProps = {
  column: ShownColumn
  /** The deal in the hand, if it is over this column and comes from another. */
  coming: BoardRow | null
  isFirst: boolean
  isLast: boolean
  overscan: number
  /** Of the list, as far as it is known before it is there. */
  viewHeight?: number
  /** Gives the board a way to scroll to cards and to give them the focus. */
  onHandle: (stage: string, handle: WindowedHandle | null) => void
}

type ColumnProps = Omit<CardListProps, 'coming'> & {
  /** Columns beyond the edges of the board have no cards in the page. */
  isInView: boolean
}

/** One stage: its head, and its deals in the order of the board. */
export function Column({ isInView, ...list }: ColumnProps) {
  const { board } = useBoard()
  const { column } = list
  const { stage } = column
  const id = useId()
  const section = useRef<HTMLElement>(null)
  const isFolded = board.folded.value.has(stage.id)
  const target = board.target.value
  const inHand = board.inHand.value
  const isTarget = target !== null && 'stage' in target && target.stage === stage.id
  const coming = isTarget && inHand && inHand.stage_id !== stage.id ? inHand : null
  useDropTarget(section, { stage: stage.id })
  const names = ['col', isFolded && 'is-folded', coming && 'is-target']
  return (
    <section ref={section} class={names.filter(Boolean).join(' ')} aria-labelledby={id} data-stage={stage.id}>
      {isFolded ? (
        <FoldedHead column={column} id={id} />
      ) : (
        <>
          <ColumnHead column={column} id={id} coming={coming} />
          {isInView ? <CardList {...list} coming={coming} /> : <div class="cards" />}
        </>
      )}
    </section>
  )
}

/** The cards of a stage, of which only those in view are in the page. */
export function CardList({ column, coming, isFirst, isLast, overscan, viewHeight, onHandle }: CardListProps) {
  const { board, actions } = useBoard()
  const { stage, cards } = column
  const handle = useRef<WindowedHandle>(null)
  const keys = useKeys(cards.map(({ row }) => row.id))
  const { arrivals, isSettling } = useArrivals(keys)
  const isAdding = board.adding.value === stage.id
  useLayoutEffect(() => {
    onHandle(stage.id, handle.current)
    return () => onHandle(stage.id, null)
  }, [stage.id])
  const add = () => {
    board.adding.value = stage.id
  }
  const leave = () => {
    board.adding.value = null
    const at = board.at.peek()
    if (at) actions.focusCard(at)
  }
  return (
    <div
      class={isSettling ? 'cards is-settling' : 'cards'}
      data-scroller
      data-scroll={`stage-${stage.id}`}
      onPointerEnter={(event) => event.pointerType === 'mouse' && board.hold(stage.id)}
      onPointerLeave={(event) => event.pointerType === 'mouse' && !board.inHand.peek() && board.release(stage.id)}
    >
      {isFirst && isMaking.value && <WaitingCreates kind="deals" />}
      {isAdding && <QuickAdd stage={stage} onClose={leave} />}
      <div class="pile">
        <Windowed
          ref={handle}
          keys={keys}
          rowHeight={CARD}
          measured
          gap={GAP}
          overscan={overscan}
          viewHeight={viewHeight}
          label={texts().cardsOf(stage.name)}
          render={(index, place) => {
            const card = cards[index]
            if (!card) return null
            const { id } = card.row
            const isTabStop = isFirst && index === 0
            return (
              <Card key={id} card={card} stage={stage} place={place} isNew={arrivals.has(id)} isFirst={isTabStop} />
            )
          }}
        />
        {coming && <Slot place={board.placeOf(coming, stage.id).at} handle={handle.current} />}
      </div>
      {isLast && !isAdding && actions.mayWrite() && (
        <button type="button" class="add-deal" onClick={add}>
          <Icon name="plus" small />
          {texts().addDeal}
        </button>
      )}
    </div>
  )
}

/** The line that shows where the order of the board will put the card. */
function Slot({ place, handle }: { place: number; handle: WindowedHandle | null }) {
  const top = (handle?.offsetOf(place) ?? 0) - GAP / 2 - 1
  return <div class="slot" style={{ top: `${Math.max(-GAP / 2 - 1, top)}px` }} aria-hidden="true" />
}

/** The same array while the keys are the same, so that heights are not reckoned anew. */
function useKeys(keys: string[]): readonly string[] {
  const kept = useRef<readonly string[]>(keys)
  const before = kept.current
  if (before.length !== keys.length || before.some((key, index) => key !== keys[index])) kept.current = keys
  return kept.current
}

const SETTLE_MS = 260

/** Which cards came into a column that was there, and whether its cards glide to their places now. */
function useArrivals(keys: readonly string[]): { arrivals: ReadonlySet<string>; isSettling: boolean } {
  const before = useRef(keys)
  const arrivals = useRef<ReadonlySet<string>>(new Set())
  const [, redraw] = useState(0)
  const isChanged = before.current !== keys
  if (isChanged) {
    const known = new Set(before.current)
    const came = keys.filter((key) => !known.has(key))
    // Another filter or order is no arrival.
    arrivals.current =
      came.length <= 3 && Math.abs(keys.length - before.current.length) <= 3 ? new Set(came) : new Set()
    before.current = keys
  }
  const settling = useRef(false)
  if (isChanged) settling.current = true
  useLayoutEffect(() => {
    if (!settling.current) return
    const timer = setTimeout(() => {
      settling.current = false
      arrivals.current = new Set()
      redraw((number) => number + 1)
    }, SETTLE_MS)
    return () => clearTimeout(timer)
  }, [keys])
  return { arrivals: arrivals.current, isSettling: settling.current }
}

/** Lets cards be dropped on the element. */
export function useDropTarget(ref: { current: HTMLElement | null }, data: Record<string, unknown>): void {
  useEffect(() => {
    const element = ref.current
    const drags = dragging.value
    if (!element || !drags) return
    return drags.dropTargetForElements({
      element,
      canDrop: ({ source }) => 'deal' in source.data,
      getData: () => data,
    })
  }, [JSON.stringify(data), dragging.value])
}
