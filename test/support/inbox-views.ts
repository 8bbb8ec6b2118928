import type { Row } from './records.ts'

/** What belongs to each view of the inbox, told by the fields of the record alone. */
export function belongs(view: string, record: Row, member: string, now: number): boolean {
  const { status, owner_id, waiting_since, first_response_at, sla } = record
  const isOpen = status === 'open' || status === 'pending'
  const pending = [
    first_response_at === null ? sla.first_response_due_at : null,
    sla.next_response_due_at,
    sla.resolution_due_at,
  ].filter((due) => due !== null)
  const is: Record<string, boolean> = {
    open: isOpen,
    mine: isOpen && owner_id === member,
    nobody: isOpen && owner_id === null,
    waiting: isOpen && waiting_since !== null,
    snoozed: status === 'snoozed',
    late: status !== 'closed' && pending.some((due) => Math.floor(Date.parse(due) / 1000) < Math.floor(now / 1000)),
    at_risk: status !== 'closed' && sla.status === 'at_risk',
  }
  return is[view] as boolean
}
