import { opening } from '../../../lib/typed-ahead.ts'

/** The dialog, whose code comes with its first use. */
export const openOriginal = (message: string): void =>
  void opening(import('./original.tsx').then(({ showOriginal }) => showOriginal(message)))
