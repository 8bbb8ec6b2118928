import { sayWhy } from '../components/say-why.ts'
import { showToast } from '../components/toast.tsx'
import { opening } from '../lib/typed-ahead.ts'

/** Shows who is in a text; the code for it comes with the first use. */
export const askForPeople = (text: string): void =>
  void opening(import('../screens/people/open.tsx')).then(
    ({ openPeople }) => openPeople(text),
    (error) => showToast({ kind: 'error', text: sayWhy(error) }),
  )
