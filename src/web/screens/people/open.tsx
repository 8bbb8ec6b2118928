import { showOver } from '../../components/over.tsx'
import { showToast } from '../../components/toast.tsx'
import { opening } from '../../lib/typed-ahead.ts'
import { PeopleDialog } from './people-dialog.tsx'
import type { Person } from './person.ts'
import { texts } from './texts.ts'

/** Shows who is in a text, over whatever screen there is. */
export function openPeople(text: string, begun?: readonly Person[]): void {
  void opening(texts.ready()).then(() =>
    showOver((close) => (
      <PeopleDialog
        text={text}
        begun={begun}
        onClose={(left) => {
          close()
          if (!left) return
          showToast({
            text: texts().closed,
            icon: 'person',
            action: { label: texts().reopen, run: () => openPeople(text, left) },
          })
        }}
      />
    )),
  )
}
