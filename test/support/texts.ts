import fc from 'fast-check'

const SURROGATES = 0x800

/**
 * Any Unicode character. The generator of fast-check first builds a table of all of them, which takes more than a
 * second.
 */
const sign = fc
  .integer({ min: 0, max: 0x10ffff - SURROGATES })
  .map((at) => String.fromCodePoint(at < 0xd800 ? at : at + SURROGATES))

/** Any well-formed text: may contain every Unicode character, but no half of a surrogate pair. */
export const anyText = (limits: { minLength?: number; maxLength?: number } = {}): fc.Arbitrary<string> =>
  fc.string({ unit: sign, ...limits })
