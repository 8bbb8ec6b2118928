import { Icon } from '../../components/icon.tsx'
import { rovingKeys } from '../../lib/roving.ts'
import type { Mode } from './composing.ts'
import { texts } from './texts.ts'

const ICONS = { reply: 'reply', note: 'note', aside: 'to' } as const

type ModeTabsProps = {
  modes: readonly Mode[]
  mode: Mode
  /** Of what goes to somebody else. */
  isForward: boolean
  /** By a press one goes on to write; by an arrow along the tabs. */
  onChoose: (mode: Mode, isWriting: boolean) => void
}

/** To whom one writes: the customer, the colleagues, or somebody else. */
export function ModeTabs({ modes, mode, isForward, onChoose }: ModeTabsProps) {
  const words = texts()
  return (
    <div class="tabs" role="tablist" aria-label={words.reply} onKeyDown={rovingKeys('[role=tab]', { also: 'click' })}>
      {modes.map((each) => (
        <button
          key={each}
          type="button"
          role="tab"
          id={`inbox-${each}`}
          aria-selected={each === mode}
          aria-controls="inbox-write"
          tabIndex={each === mode ? 0 : -1}
          onClick={({ detail }) => onChoose(each, detail > 0)}
        >
          <Icon name={ICONS[each]} small />
          {each === 'aside' ? (isForward ? words.forward : words.replyAside) : words[each]}
        </button>
      ))}
      <span class="grow" />
      {mode === 'note' && <span class="small mute cut">{words.onlyMembers}</span>}
    </div>
  )
}
