import { prepareRecords, RecordsScreen } from '../../tables/records-screen.tsx'
import { useEnroll } from '../sequences/enroll-command.ts'

/** All contacts, as a table; on a phone as cards. */
export function Screen() {
  useEnroll()
  return <RecordsScreen key="contacts" kind="contacts" />
}

export const prepare = prepareRecords('contacts')
