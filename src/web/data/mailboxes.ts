import { signal } from '@preact/signals'
import type { InboxMailbox } from '../../site/app/inbox-mailboxes.ts'
import { me } from './boot.ts'

/** The mailboxes of the inbox, as it has read them last. */
export const mailboxes = signal<readonly InboxMailbox[]>([])

/** Those that are nobody's own, and mine. */
export const myMailboxes = (): InboxMailbox[] =>
  mailboxes.value.filter(({ member_id }) => member_id === null || member_id === me.value.id)
