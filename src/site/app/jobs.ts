import { binStore } from '../../cleanup/bin/bin.ts'
import type { Deps } from '../../deps.ts'
import { HOUR_MS, MINUTE_MS } from '../../lib/time.ts'
import { DUE_TASKS, dueTasks } from '../../personal/due-tasks.ts'
import { ENDING_TOKENS, noticeEndingTokens } from '../../personal/ending-tokens.ts'
import type { RunKind } from '../../store/jobs/kinds.ts'
import type { Recurring } from '../../store/jobs/recurring-work.ts'
import { bulkKinds, bulkWork } from './bulk/routes.ts'
import { handOverKinds } from './hand-over/routes.ts'
import { newMailKind } from './new-mails.ts'
import { sampleKind } from './sample.ts'

/** The jobs that the screens start. */
export const screensKinds = (deps: Deps): RunKind[] => [
  ...bulkKinds(deps),
  ...handOverKinds(deps),
  sampleKind(deps),
  newMailKind(deps),
]

/** What a running server repeats for the screens. */
export const screensWork = (deps: Deps): Recurring[] => [
  { name: ENDING_TOKENS, everyMs: HOUR_MS, isDated: true, run: noticeEndingTokens(deps) },
  { name: DUE_TASKS, everyMs: MINUTE_MS, run: dueTasks(deps) },
  { name: 'empty the bin', everyMs: HOUR_MS, frees: true, run: binStore(deps).purgeOld },
  bulkWork(deps),
]
