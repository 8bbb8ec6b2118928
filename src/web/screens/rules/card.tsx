import { useEffect, useRef, useState } from 'preact/hooks'
import { IconButton } from '../../components/button.tsx'
import { Switch } from '../../components/check.tsx'
import { Icon } from '../../components/icon.tsx'
import { Hits } from './hits.tsx'
import { texts } from './texts.ts'
import type { RuleShown, Tried } from './wire.ts'
import { sentenceOf } from './words.ts'

type RuleCardProps = {
  rule: RuleShown
  tried: Tried | undefined
  /** Which one it is, from 0. */
  place: { at: number; of: number }
  mayChange: boolean
  onEdit: () => void
  onToggle: (isOn: boolean) => void
  /** To a place; `focus` is the button that was pressed. */
  onMove: (to: number, focus: 'up' | 'down') => void
  /** Another rule is dropped at its place. */
  onDrop: (id: string) => void
  onRemove: () => void
}

/** A rule as a sentence, and what can be done with it. */
export function RuleCard(props: RuleCardProps) {
  const { rule, tried, place, mayChange, onEdit, onToggle, onMove, onRemove } = props
  const { id, name, is_active = true, do: acts } = rule
  const card = useRef<HTMLLIElement>(null)
  const isOver = useDragging(card, mayChange, id, props.onDrop)
  const words = texts()
  const hits = tried?.data.find((each) => each.id === id)?.hits
  return (
    <li ref={card} class={isOver ? 'card is-over' : 'card'} data-rule={id}>
      <div class="row head">
        {mayChange && (
          <span class="handle mute" title={words.drag}>
            <Icon name="drag" />
          </span>
        )}
        <h2 class="grow">
          <bdi>{name}</bdi> {!is_active && <span class="small mute">{words.off}</span>}
        </h2>
        {mayChange && (
          <>
            <Switch checked={is_active} title={words.active(name)} onChange={onToggle} />
            <IconButton
              plain
              icon="up"
              data-move="up"
              title={words.up(name)}
              off={place.at === 0 ? words.isFirst : undefined}
              onClick={() => onMove(place.at - 1, 'up')}
            />
            <IconButton
              plain
              icon="down"
              data-move="down"
              title={words.down(name)}
              off={place.at === place.of - 1 ? words.isLast : undefined}
              onClick={() => onMove(place.at + 1, 'down')}
            />
            <IconButton plain icon="pen" title={words.change(name)} onClick={onEdit} />
            <IconButton plain danger icon="trash" title={words.remove(name)} onClick={onRemove} />
          </>
        )}
      </div>
      <p dir="auto">{sentenceOf(rule)}</p>
      {acts.answer !== undefined && (
        <p class="answer mute" dir="auto">
          {acts.answer}
        </p>
      )}
      {is_active && hits && tried && <Hits hits={hits} looked={tried.looked} />}
    </li>
  )
}

/** By its handle, onto another one. */
function useDragging(
  card: { current: HTMLElement | null },
  isOn: boolean,
  id: string,
  onDrop: (id: string) => void,
): boolean {
  const [isOver, setOver] = useState(false)
  const latest = useRef(onDrop)
  latest.current = onDrop
  useEffect(() => {
    if (!isOn) return
    let stops: (() => void)[] = []
    let isGone = false
    void import('../deals/drag-and-drop.ts').then(({ draggable, dropTargetForElements }) => {
      const element = card.current
      const handle = element?.querySelector('.handle')
      if (isGone || !element || !handle) return
      stops = [
        draggable({ element, dragHandle: handle, getInitialData: () => ({ rule: id }) }),
        dropTargetForElements({
          element,
          canDrop: ({ source }) => typeof source.data.rule === 'string' && source.data.rule !== id,
          onDragEnter: () => setOver(true),
          onDragLeave: () => setOver(false),
          onDrop({ source }) {
            setOver(false)
            latest.current(String(source.data.rule))
          },
        }),
      ]
    })
    return () => {
      isGone = true
      for (const stop of stops) stop()
    }
  }, [isOn, id])
  return isOver
}
