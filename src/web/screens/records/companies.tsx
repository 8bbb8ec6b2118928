import { prepareRecords, RecordsScreen } from '../../tables/records-screen.tsx'

/** All companies, as a table; on a phone as cards. */
export const Screen = () => <RecordsScreen key="companies" kind="companies" />

export const prepare = prepareRecords('companies')
