import { useEffect, useMemo, useRef } from 'preact/hooks'
import { Avatar } from '../../components/avatar.tsx'
import { Icon } from '../../components/icon.tsx'
import type { RowProps } from '../../components/windowed.tsx'
import type { BoardRow } from '../../data/board-row.ts'
import { boot } from '../../data/boot.ts'
import { presentAt } from '../../data/presence.ts'
import type { BoardStage } from '../../tables/deals/model.ts'
import { texts } from '../../tables/deals/texts/texts.ts'
import { CardBody } from './card-body.tsx'
import { CardNotice } from './card-notice.tsx'
import { dragging } from './dragging.ts'
import { meanwhile } from './held.ts'
import type { ShownCard } from './hold.ts'
import { useBoard } from './use-board.ts'

type CardProps = { card: ShownCard; stage: BoardStage; place: RowProps; isNew: boolean; isFirst: boolean }

/** A deal on the board. Its title is the link; the keys of the board act on it while the link has the focus. */
export function Card({ card, stage, place, isNew, isFirst }: CardProps) {
  const { board, actions } = useBoard()
  const { row, movedTo } = card
  const ref = useRef<HTMLElement>(null)
  const more = useRef<HTMLButtonElement>(null)
  const { id } = row
  const isTaken = board.inHand.value?.id === id || board.dragged.value.includes(id)
  const isLeaving = movedTo !== undefined || isTaken || isAsked(board.popup.value, id)
  const isLifted = board.lift.value?.id === id
  const Lines = meanwhile.value?.InHandLines
  const isSelected = board.selection.value.has(id)
  const tabIndex = (board.at.value ?? (isFirst ? id : null)) === id ? 0 : -1
  useDraggable(ref, row)
  const names = [
    'card',
    isSelected && 'is-selected',
    isLeaving && 'is-gone',
    isLifted && 'is-lifted',
    isNew && 'is-new',
  ]
  return (
    // biome-ignore lint/a11y/useSemanticElements: the list around it is no ul
    <div {...place} role="listitem" class="place">
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the board, at the link inside */}
      <article
        ref={ref}
        class={names.filter(Boolean).join(' ')}
        data-card={id}
        onClick={(event) => actions.press(event, id)}
      >
        <h3>
          <a href={`/deals/${id}`} dir="auto" tabIndex={tabIndex} draggable={false} onFocus={() => actions.focused(id)}>
            {row.title}
          </a>
        </h3>
        <CardBody row={row} stage={stage} />
        {movedTo !== undefined && movedTo !== null && (
          <p class="moved small">{texts().movedAway(actions.stageName(movedTo))}</p>
        )}
        <button
          ref={more}
          type="button"
          class="more"
          tabIndex={tabIndex}
          title={texts().moreOf(row.title)}
          aria-label={texts().moreOf(row.title)}
          aria-haspopup="menu"
          aria-expanded={board.popup.value?.kind === 'menu' && board.popup.value.anchor === more.current}
          onClick={() => more.current && actions.openPopup('menu', [id], more.current)}
        >
          <Icon name="dots" />
        </button>
        {isSelected && (
          <span class="chosen">
            <Icon name="check" title={texts().isSelected} />
          </span>
        )}
        <Viewers id={id} />
        {isLifted && Lines && <Lines board={board} say={actions.say} />}
        <CardNotice row={row} />
      </article>
    </div>
  )
}

const isAsked = (popup: { kind: string; ids: readonly string[] } | null, id: string): boolean =>
  popup !== null && (popup.kind === 'won' || popup.kind === 'lost') && popup.ids.includes(id)

/** The colleagues who look at the deal now. */
function Viewers({ id }: { id: string }) {
  const present = useMemo(() => presentAt('deals', id), [id])
  if (present.value.length === 0) return null
  const members = boot.value.members.filter((each) => present.value.some(({ member_id }) => member_id === each.id))
  return (
    <span class="viewers">
      {members.slice(0, 3).map(({ id: member, name }) => (
        <span key={member} role="img" aria-label={texts().isLooking(name)} title={texts().isLooking(name)}>
          <Avatar kind="member" id={member} name={name} size={16} />
        </span>
      ))}
    </span>
  )
}

/** By mouse and pen; on touch the menu moves a card, and a long press scrolls and selects as everywhere. */
function useDraggable(ref: { current: HTMLElement | null }, row: BoardRow): void {
  const { actions } = useBoard()
  const latest = useRef(row)
  latest.current = row
  useEffect(() => {
    const element = ref.current
    const drags = dragging.value
    if (!element || !drags) return
    return drags.draggable({
      element,
      canDrag: () => actions.mayDrag(latest.current.id),
      getInitialData: () => ({ deal: latest.current.id }),
      onGenerateDragPreview: ({ nativeSetDragImage }) => drags.disableNativeDragPreview({ nativeSetDragImage }),
    })
  }, [dragging.value])
}
