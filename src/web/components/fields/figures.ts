export type Figures = typeof import('./parse-figures.ts')

const RETRY_MS = 2000

let loaded: Figures | undefined

/** What reads numbers, amounts and days: they are large, and come with the first editor. */
export const figures = (): Figures | undefined => loaded

/** A file that does not come is asked for again until it does: what was typed waits for it. */
export async function loadFigures(): Promise<Figures> {
  while (!loaded) {
    try {
      loaded = await import('./parse-figures.ts')
    } catch {
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }
  return loaded
}

/** Runs at once if they are there. */
export function withFigures(run: (figures: Figures) => void): void {
  if (loaded) run(loaded)
  else void loadFigures().then(run)
}
