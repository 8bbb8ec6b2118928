import { prepareRecord, RecordPage } from '../../components/record/record-page.tsx'
import type { ScreenProps } from '../../router/types.ts'

export const prepare = prepareRecord('companies')

export function Screen({ params: { id = '' } }: ScreenProps) {
  return <RecordPage kind="companies" id={id} />
}
