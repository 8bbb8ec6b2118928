/** The files of texts that several parts of the app share, for `takeTextsFrom`. */
export const textFiles = {
  en: () => import('./first-en.ts'),
  de: () => import('./first-de.ts'),
  later: () => import('./later-de.ts'),
}
