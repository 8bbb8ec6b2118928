const MAX_NOTES = 20

/** Collects what was mended in a file of captions, for the one who sent it. */
export function mending() {
  const notes: string[] = []
  let left = 0
  return {
    /** `at` is the index of the line. */
    note(at: number, what: string): void {
      if (notes.length < MAX_NOTES) notes.push(`Line ${at + 1}: ${what}.`)
      else left++
    },
    all: (): string[] => (left > 0 ? [...notes, `And ${left} more.`] : notes),
  }
}
export type Mending = ReturnType<typeof mending>
