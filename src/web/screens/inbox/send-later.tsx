import { MenuButton } from '../../components/menu.tsx'
import { format } from '../../lib/locale.ts'
import { serverNow } from '../../lib/server-time.ts'
import { type Later, laterTime } from './snoozes.ts'
import { texts } from './texts.ts'

const LATERS: readonly Later[] = ['afternoon', 'morning', 'monday']

type SendLaterProps = { onPick: (at: number, isUnlessAnswered: boolean) => void }

/** When a reply is to leave, each with its day, time and zone, and whether only if they have not answered until then. */
export function SendLater({ onPick }: SendLaterProps) {
  const words = texts()
  const items = (isUnlessAnswered: boolean) =>
    LATERS.flatMap((each) => {
      const at = laterTime(each, serverNow(), format.peek().timezone)
      if (at === undefined) return []
      const end = `${format.peek().when(at, serverNow())} ${zoneName(at)}`
      return [{ label: words.laters[each], end, onPick: () => onPick(at, isUnlessAnswered) }]
    })
  return (
    <MenuButton
      plain
      icon="clock"
      menuLabel={words.sendLater}
      title={words.sendLater}
      aria-label={words.sendLater}
      align="end"
      groups={() => [{ items: items(false) }, { label: words.unlessAnswered, items: items(true) }]}
    />
  )
}

/** The zone of the member at that time, such as "GMT+1". */
const zoneName = (at: number): string =>
  new Intl.DateTimeFormat(format.peek().tag, { timeZone: format.peek().timezone, timeZoneName: 'short' })
    .formatToParts(at)
    .find(({ type }) => type === 'timeZoneName')?.value ?? ''
