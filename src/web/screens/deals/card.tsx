import { useEffect, useMemo, useRef } from 'preact/hooks'
import { Avatar } from '../../components/avatar.tsx'
import { Icon } from '../../components/icon.tsx'
import { Money } from '../../components/money.tsx'
import { Tags } from '../../components/tag.tsx'
import type { RowProps } from '../../components/windowed.tsx'
import type { BoardRow } from '../../data/board.ts'
import { boot } from '../../data/boot.ts'
import { presentAt } from '../../data/presence.ts'
import { format } from '../../lib/locale.ts'
import { now } from '../../lib/now.ts'
import { cardFields } from './card-fields.ts'
import { CardLine } from './card-line.tsx'
import { CardNotice } from './card-notice.tsx'
import { dragging } from './dragging.ts'
import type { ShownCard } from './hold.ts'
import { type BoardStage, daysInStage } from './model.ts'
import { nextStep } from './next-step.ts'
import { texts } from './texts/texts.ts'
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
        onContextMenu={(event) => actions.openMenu(event, id)}
      >
        <h3>
          <a href={`/deals/${id}`} tabIndex={tabIndex} draggable={false} onFocus={() => actions.focused(id)}>
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
        <CardNotice row={row} />
      </article>
    </div>
  )
}

const isAsked = (popup: { kind: string; ids: readonly string[] } | null, id: string): boolean =>
  popup !== null && (popup.kind === 'won' || popup.kind === 'lost') && popup.ids.includes(id)

/** What stands on a card below its title; the preview in the hand has the same. */
export function CardBody({ row, stage }: { row: BoardRow; stage: BoardStage }) {
  const fields = cardFields.value
  const at = now.value
  return (
    <>
      {fields.company && <p class="co">{row.company_name ?? <span class="mute">{texts().noCompany}</span>}</p>}
      <div class="figures">
        {row.amount === null ? (
          <span class="mute">{texts().noAmount}</span>
        ) : (
          <Money amount={row.amount} currency={row.currency} />
        )}
        {fields.days && (
          <span class="days" title={texts().daysInStage}>
            {texts().days(daysInStage(row, at))}
          </span>
        )}
        <Owner id={row.owner_id} />
      </div>
      {fields.close && row.expected_close_date && (
        <p class="next">
          <Icon name="cal" small />
          <span class="cut">{texts().fieldClose}</span>
          <span class="when">{format.value.day(row.expected_close_date, at)}</span>
        </p>
      )}
      {fields.tags && row.tag_ids.length > 0 && (
        <p class="next">
          <Tags tags={boot.value.tags.filter((tag) => row.tag_ids.includes(tag.id))} most={2} />
        </p>
      )}
      {fields.next && <CardLine step={nextStep(row, stage.usual_days, at)} now={at} />}
    </>
  )
}

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

function Owner({ id }: { id: string | null }) {
  const member = id === null ? undefined : boot.value.members.find((each) => each.id === id)
  if (!member) return <Avatar kind="nobody" name={texts().noOwner} alone />
  return <Avatar kind="member" id={member.id} name={member.name} alone />
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
