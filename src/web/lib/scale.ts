// People who need larger letters set them in their browser. Lengths in the CSS follow that as rem; this is for those in code.

const USUAL = 16

/** How much larger than usual the letters of this browser are. Of a page that is loaded: who changes it loads anew. */
const scale = globalThis.document
  ? Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / USUAL || 1
  : 1

/** A length of the design as it is on this screen, in whole pixels. */
export const scaled = (length: number): number => Math.round(length * scale)

/** The length of the design that this one on the screen is. */
export const unscaled = (length: number): number => length / scale
