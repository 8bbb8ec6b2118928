import type { ScreenProps } from '../../lib/router/types.ts'
import { prepareRecord, RecordPage } from '../../record/record-page.tsx'

import { useEnroll } from '../sequences/enroll-command.ts'

export const prepare = prepareRecord('contacts')

export function Screen({ params: { id = '' } }: ScreenProps) {
  useEnroll()
  return <RecordPage kind="contacts" id={id} />
}
