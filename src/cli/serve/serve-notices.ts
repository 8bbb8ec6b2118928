import type { Deps } from '../../deps.ts'
import type { Logins } from '../../inbox/mailboxes/access-tokens.ts'
import { byMail } from '../../ops/monitoring/notify/by-mail.ts'
import { byUrl } from '../../ops/monitoring/notify/by-url.ts'
import { type Notifier, startNotifier } from '../../ops/monitoring/notify/notifier.ts'
import { onScreen } from '../../ops/monitoring/notify/screen.ts'
import { workOutcomes } from '../../store/jobs/recurring.ts'
import type { Store } from '../../store/open.ts'
import { placeOf, type Server } from './reader-notices.ts'

type Primary = Server & { store: Store; deps: Deps; logins: Logins; isPaused: boolean }

/** A copy that was restored tells on its screens only: it may run beside the original. */
export function startNotices({ deps, logins, isPaused, ...server }: Primary): Notifier {
  const { store, notify } = server
  const place = placeOf(server)
  const { mail, url } = isPaused ? { mail: null, url: undefined } : notify
  return startNotifier({
    ...server,
    clock: store.clock,
    channels: [
      onScreen(deps, store.write),
      ...(mail ? [byMail({ deps, logins, to: mail, place })] : []),
      ...(url ? [byUrl(url, place)] : []),
    ],
    outcome: workOutcomes(store),
  })
}
