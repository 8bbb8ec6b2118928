import { sayWhy } from '../components/say-why.ts'
import { showToast } from '../components/toast.tsx'
import { opening } from '../lib/typed-ahead.ts'
import { above } from './above.ts'

/** Shows who is in a text; the code for it comes with the first use. */
export const askForPeople = (text: string): void =>
  void opening(above.people()).then(
    ({ openPeople }) => openPeople(text),
    (error) => showToast({ kind: 'error', text: sayWhy(error) }),
  )
