import { useLayoutEffect } from 'preact/hooks'
import { mayWrite } from '../../data/may.ts'
import { opening } from '../../lib/typed-ahead.ts'
import { register } from '../../shell/commands/registry.ts'
import { texts } from '../../tables/texts.ts'

/** As many as one request takes; more of them are enrolled as a list. */
const MOST = 100

/** Enrolls the chosen contacts, or the open one, while the screen is shown. */
export function useEnroll(isOfContacts = true): void {
  useLayoutEffect(() => {
    if (!isOfContacts || !mayWrite()) return
    return register([
      {
        id: 'contacts.enroll',
        title: () => texts().bulk.enrollIn,
        group: 'record',
        icon: 'seq',
        when: ({ targets }) => targets?.kind === 'contacts' && targets.ids.length <= MOST,
        run: async ({ targets }) => (await opening(import('./enroll.tsx'))).showEnroll(targets?.ids ?? []),
      },
    ])
  }, [isOfContacts])
}
