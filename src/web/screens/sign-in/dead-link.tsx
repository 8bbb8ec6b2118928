import { later } from '../../components/later.tsx'
import type { DeadReason } from './dead-page.tsx'

const DEAD: readonly DeadReason[] = ['link_used', 'link_expired', 'link_withdrawn', 'unknown_link']

/** Whether a refusal means that the link leads nowhere any more. */
export const isDead = (code: string): code is DeadReason => (DEAD as readonly string[]).includes(code)

/** Says what to do with a link that leads nowhere any more. */
export const DeadLink = later(() => import('./dead-page.tsx').then((module) => module.deadPage()), { ahead: false })
