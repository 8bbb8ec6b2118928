import { batch, signal } from '@preact/signals'
import { showToast } from '../../components/toast.tsx'
import type { BoardRow } from '../../data/board-row.ts'
import { boot } from '../../data/boot.ts'
import { mayWrite } from '../../data/may.ts'
import type { Anchor } from '../../lib/place.ts'
import { navigate } from '../../lib/router.ts'
import { isPeekWide } from '../../lib/widths.ts'
import { openPeek, peeked } from '../../shell/peek.ts'
import { closeDeals, moveDeals, type Outcome } from '../../tables/deals/changes.ts'
import { texts } from '../../tables/deals/texts/texts.ts'
import type { BoardState, PopupKind } from './board-state.ts'
import { loadMeanwhile } from './held.ts'
import type { Target } from './lift.ts'

export type BoardActions = ReturnType<typeof boardActions>

/** Records open beside the board where there is room. */
export const hasRoomToPeek = (): boolean => isPeekWide.peek()

/** What people do on the board. `focusCard` gives a card the focus, once it is in the page. */
export function boardActions(board: BoardState, focusCard: (id: string) => void) {
  /** For screen readers. */
  const said = signal('')
  let pointer = 'mouse'

  const rowsOf = (ids: readonly string[]): BoardRow[] => ids.flatMap((id) => board.find(id) ?? [])
  const stageName = (id: string): string => boot.value.stages.find((stage) => stage.id === id)?.name ?? ''

  /** Says it even if the words are the same as before. */
  function say(text: string): void {
    said.value = said.peek() === text ? `${text}\u00a0` : text
  }

  function move(ids: readonly string[], stage: string): void {
    const rows = rowsOf(ids).filter((row) => row.stage_id !== stage)
    const [first] = rows
    if (!first) return
    batch(() => {
      moveDeals(rows, { id: stage, name: stageName(stage) })
      board.holdAnew()
      board.fold(stage, false)
    })
    const { at, of } = board.placeOf(board.find(first.id) ?? first, stage)
    say(texts().placed(stageName(stage), at + 1, of))
    board.at.value = first.id
    focusCard(first.id)
  }

  /** Asks for the reason where the deal was dropped, or at its card. */
  function askReason(ids: readonly string[], outcome: Outcome, anchor: Anchor): void {
    openPopup(outcome, ids, anchor)
  }

  function close(ids: readonly string[], outcome: Outcome, reason: string): void {
    const next = nextAfter(ids)
    closeDeals(rowsOf(ids), outcome, reason)
    board.holdAnew()
    board.clearSelection()
    focusNext(next)
  }

  /** The card that has the focus when these leave. */
  function nextAfter(ids: readonly string[]): string | undefined {
    const columns = board.ids.peek()
    const column = columns.find((each) => each.includes(ids[0] ?? '')) ?? []
    const from = column.indexOf(ids[0] ?? '')
    const stays = (id: string) => !ids.includes(id)
    return column.slice(from).find(stays) ?? column.slice(0, from).findLast(stays) ?? columns.flat().find(stays)
  }

  function focusNext(id: string | undefined): void {
    if (id === undefined) return
    board.at.value = id
    focusCard(id)
  }

  /** Does it to deals that are as they were when they were taken; where a colleague has changed one since, it is asked. */
  function withTaken(taken: readonly BoardRow[], target: Target, run: (ids: readonly string[]) => void): void {
    const isSame = taken.every((row) => board.find(row.id) === row)
    if (isSame) run(taken.map(({ id }) => id))
    else askFirst(taken, target, run)
  }

  function askFirst(taken: readonly BoardRow[], target: Target, run: (ids: readonly string[]) => void): void {
    loadMeanwhile().then(
      async ({ askAgain }) => {
        const ids = await askAgain(taken, target, board.find)
        if (ids.length > 0) run(ids)
        else focusNext(taken.find(({ id }) => board.find(id))?.id)
      },
      () => showToast({ text: texts().failed, kind: 'error' }),
    )
  }

  const drop = (taken: readonly BoardRow[], target: Target, anchor: Anchor): void =>
    withTaken(taken, target, (ids) => {
      if ('stage' in target) move(ids, target.stage)
      else askReason(ids, target.outcome, anchor)
    })

  function openPopup(kind: PopupKind, ids: readonly string[], anchor: Anchor): void {
    board.popup.value = { kind, ids, anchor, taken: rowsOf(ids) }
  }

  function focused(id: string): void {
    board.at.value = id
  }

  function lift(id: string): void {
    const row = board.find(id)
    if (!row || !mayWrite('deals')) return
    for (const { stage } of board.columns.peek()) board.hold(stage.id)
    void loadMeanwhile().catch(() => undefined)
    board.take(id)
    board.liftAt(id)
    say(texts().lifted(row.title, stageName(row.stage_id)))
  }

  /** Returns whether the key meant something for the lifted card. */
  function pressLifted(key: string, endOf: (outcome: Outcome) => Anchor): boolean {
    const result = board.press(key)
    if (!result) return false
    const row = board.find(result.id) ?? board.taken.peek()[0]
    if (!row) return true
    if ('lift' in result) {
      const target = board.target.peek()
      if (target) say(wordsFor(row, target))
      return true
    }
    releaseAll()
    const taken = board.letGo()
    if ('drop' in result)
      drop(taken, result.drop, 'outcome' in result.drop ? endOf(result.drop.outcome) : { x: 0, y: 0 })
    else {
      say(texts().putBack(row.title))
      focusCard(row.id)
    }
    return true
  }

  function wordsFor(row: BoardRow, target: Target): string {
    if ('outcome' in target) return texts().wouldClose(texts()[target.outcome])
    const { at, of } = board.placeOf(row, target.stage)
    return texts().wouldBe(stageName(target.stage), at + 1, of)
  }

  function releaseAll(): void {
    for (const { stage } of board.columns.peek()) board.release(stage.id)
  }

  /** Enter: looks at the deal beside the board where there is room, else opens its page. */
  function open(id: string): void {
    if (hasRoomToPeek() && peeked.peek()?.id !== id) openPeek('deals', id)
    else void navigate(`/deals/${id}`)
  }

  /** A press on the card, beside its link. */
  function press(event: MouseEvent, id: string): void {
    if (event.target instanceof Element && event.target.closest('button, .popover')) return
    const isPlain = !event.shiftKey && !event.ctrlKey && !event.metaKey
    const isLink = event.target instanceof Element && event.target.closest('a') !== null
    if (isPlain && isLink) return
    if (event.shiftKey || !isLink) event.preventDefault()
    if (event.shiftKey) board.extendTo(id)
    else if (!isPlain && !isLink) board.toggle(id)
    if (isPlain && peeked.peek()) openPeek('deals', id)
    focusCard(id)
  }

  return {
    said,
    say,
    stageName,
    mayWrite,
    rowsOf,
    move,
    close: (taken: readonly BoardRow[], outcome: Outcome, reason: string) =>
      withTaken(taken, { outcome }, (ids) => close(ids, outcome, reason)),
    drop,
    askReason,
    openPopup,
    focused,
    focusCard,
    focusNext,
    nextAfter,
    lift,
    pressLifted,
    releaseAll,
    open,
    press,
    /** Which kind of pointer was last used: a finger scrolls, it does not drag. */
    usePointer: (type: string) => {
      pointer = type
    },
    mayDrag: (id: string): boolean => pointer !== 'touch' && mayWrite('deals') && board.find(id) !== undefined,
  }
}
