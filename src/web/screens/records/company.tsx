import type { ScreenProps } from '../../lib/router/types.ts'
import { prepareRecord, RecordPage } from '../../record/record-page.tsx'

export const prepare = prepareRecord('companies')

export function Screen({ params: { id = '' } }: ScreenProps) {
  return <RecordPage kind="companies" id={id} />
}
