import type { Command } from '../../shell/commands/registry.ts'
import { DEAL_POPUPS, type DealPopup } from '../list-context.ts'
import { texts } from './texts/texts.ts'

const KEYS: Record<DealPopup, string> = { stage: 's', amount: '$', date: 'd', won: 'w', lost: 'shift+l' }
const ICONS: Record<DealPopup, string> = { stage: 'deal', amount: 'pen', date: 'cal', won: 'won', lost: 'lost' }

/** What can be done with deals besides what any record has: by the keys of the board. */
export const dealCommands = (
  popup: (name: DealPopup) => Command['run'],
  when: NonNullable<Command['when']>,
): Command[] =>
  DEAL_POPUPS.map((name) => ({
    id: `deals.${name}`,
    title: () => texts().commands[name],
    keys: KEYS[name],
    icon: ICONS[name],
    group: 'record',
    when,
    run: popup(name),
  }))
