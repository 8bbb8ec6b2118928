import type { ScreenProps } from '../../lib/router/types.ts'
import { prepareRecord, RecordPage } from '../../record/record-page.tsx'

export const prepare = prepareRecord('deals')

export function Screen({ params: { id = '' } }: ScreenProps) {
  return <RecordPage kind="deals" id={id} />
}
