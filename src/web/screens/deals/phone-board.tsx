import { signal } from '@preact/signals'
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { Money, Sum } from '../../components/money.tsx'
import type { WindowedHandle } from '../../components/windowed.tsx'
import { boot } from '../../data/boot.ts'
import { fromMicros } from '../../lib/decimal.ts'
import { format } from '../../lib/locale.ts'
import { rovingKeys } from '../../lib/roving.ts'
import { texts } from '../../tables/deals/texts/texts.ts'
import { CardMenus } from './card-menus.ts'
import { CardList } from './column.tsx'
import { sumWords } from './column-head.tsx'
import { registerBoard } from './commands.ts'
import { Popups } from './popups.tsx'
import type { BoardParts } from './use-board.ts'
import './board.css'
import './card.css'
import './phone-board.css'

/** The stage that is shown; kept while other screens are open. */
const chosen = signal<string | null>(null)

type PhoneBoardProps = { parts: BoardParts; handles: Map<string, WindowedHandle> }

/** One stage at a time: the strip of stages is swiped, and so are the cards. Cards are moved by their menu. */
export function PhoneBoard({ parts, handles }: PhoneBoardProps) {
  const { board, actions } = parts
  useLayoutEffect(() => registerBoard(parts), [parts])
  const columns = board.shown.value
  const adding = board.adding.value
  const at = Math.max(
    0,
    columns.findIndex(({ stage }) => stage.id === (adding ?? chosen.value)),
  )
  const column = columns[at]
  const strip = useRef<HTMLDivElement>(null)
  useEffect(() => {
    strip.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [at])
  const go = (index: number) => {
    const stage = columns[index]?.stage
    if (!stage) return
    board.adding.value = null
    chosen.value = stage.id
  }
  const swipe = useSwipe((step) => go(at + step))
  if (!column) return null
  const [own, ...others] = column.totals.sums
  return (
    <>
      <div
        ref={strip}
        class="stages"
        role="tablist"
        aria-label={texts().stages}
        onKeyDown={rovingKeys('[role=tab]', { also: 'click' })}
      >
        {columns.map(({ stage, totals }, index) => (
          <button
            key={stage.id}
            type="button"
            role="tab"
            id={`tab-${stage.id}`}
            aria-selected={index === at}
            aria-controls="stage-cards"
            tabIndex={index === at ? 0 : -1}
            onClick={() => go(index)}
          >
            {stage.name}
            <span class="n">{format.value.number(totals.count)}</span>
          </button>
        ))}
      </div>
      <h2 class="sr">{texts().heading(column.stage.name, column.totals.count, sumWords(column.totals))}</h2>
      <div class="phone-tot">
        <Sum>
          <Money
            amount={fromMicros(own?.micros ?? 0n)}
            currency={own?.currency ?? boot.value.org.currency}
            decimals="sum"
          />
        </Sum>
        {others.map(({ currency, micros }) => (
          <span key={currency} class="small mute">
            <Money amount={fromMicros(micros)} currency={currency} decimals="sum" />
          </span>
        ))}
        <span class="small mute end">{format.value.percent(column.stage.probability)}</span>
      </div>
      <div class="phone-cards" id="stage-cards" role="tabpanel" aria-labelledby={`tab-${column.stage.id}`} {...swipe}>
        <CardList
          key={column.stage.id}
          column={column}
          coming={null}
          isFirst
          isLast={false}
          overscan={4}
          onHandle={(stage, handle) => (handle ? handles.set(stage, handle) : handles.delete(stage))}
        />
      </div>
      <CardMenus />
      {board.popup.value && <Popups onClose={board.closePopup} />}
      <div class="sr" role="status">
        {actions.said}
      </div>
    </>
  )
}

const SWIPE = 60

/** A finger that goes sideways, and not up or down, changes the stage. */
function useSwipe(onSwipe: (step: -1 | 1) => void) {
  const start = useMemo(() => ({ x: 0, y: 0 }), [])
  return {
    onTouchStart: (event: TouchEvent) => {
      const [touch] = event.touches
      if (touch) Object.assign(start, { x: touch.clientX, y: touch.clientY })
    },
    onTouchEnd: (event: TouchEvent) => {
      const [touch] = event.changedTouches
      if (!touch || event.touches.length > 0) return
      const [x, y] = [touch.clientX - start.x, touch.clientY - start.y]
      if (Math.abs(x) > SWIPE && Math.abs(y) < Math.abs(x) / 2) onSwipe(x < 0 ? 1 : -1)
    },
  }
}
