import type { MenuItem } from '../../../components/menu-items.ts'
import { format } from '../../../lib/locale.ts'
import { now } from '../../../lib/now.ts'
import { type Preset, presetTime } from '../snoozes.ts'
import { texts } from '../texts.ts'

const PRESETS: readonly Preset[] = ['today', 'tomorrow', 'week']

/** Until when it can sleep, with the times that the names stand for. */
export const snoozeItems = (pick: (until: number) => unknown): MenuItem[] =>
  PRESETS.flatMap((preset) => {
    const at = presetTime(preset, now.peek(), format.peek().timezone)
    if (at === undefined) return []
    return [{ label: texts().snoozes[preset], end: format.peek().when(at, now.peek()), onPick: () => void pick(at) }]
  })
