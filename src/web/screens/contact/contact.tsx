import { prepareRecord, RecordPage } from '../../components/record/record-page.tsx'
import type { ScreenProps } from '../../router/types.ts'

export const prepare = prepareRecord('contacts')

export function Screen({ params: { id = '' } }: ScreenProps) {
  return <RecordPage kind="contacts" id={id} />
}
