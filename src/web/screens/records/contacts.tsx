import { prepareRecords, RecordsScreen } from '../../tables/records-screen.tsx'

/** All contacts, as a table; on a phone as cards. */
export const Screen = () => <RecordsScreen key="contacts" kind="contacts" />

export const prepare = prepareRecords('contacts')
