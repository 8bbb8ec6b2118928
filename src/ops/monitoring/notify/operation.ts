import type { AtWork, Wanted } from '../../backup/nightly.ts'
import type { PlaceLabel } from '../../backup/standing.ts'
import type { Memory } from './memory.ts'
import type { Judge } from './notifier.ts'

/** Who is told in which way, as it was configured. */
export type Ways = {
  mail: 'owners' | 'addresses' | 'off' | 'paused'
  url: 'on' | 'off' | 'paused'
  /** No more of the URL: whoever knows it can often write there. */
  url_host: string | null
}

/** What the screens show of the operation of the server, and what owners may start. */
export type Operation = {
  judge: Judge
  /** Left out in tests of other things. */
  notifier?: { memory: () => Memory } | undefined
  ways?: Ways | undefined
  /** Left out where no backups are made. */
  night?: { checkFree: () => void; ask: (work: Wanted) => void; atWork: () => AtWork | undefined } | undefined
  /** When they are made, and by which clock. */
  at?: { time: string; timezone: string } | undefined
  places?: readonly PlaceLabel[] | undefined
  /** It only reads: backups are the business of its primary. */
  isReader?: boolean | undefined
}
