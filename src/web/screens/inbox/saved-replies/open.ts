import { opening } from '../../../lib/typed-ahead.ts'

/** The dialog, whose code comes with its first use. */
export const openSavedReplies = (): void =>
  void opening(import('./manage.tsx').then(({ showSavedReplies }) => showSavedReplies()))
