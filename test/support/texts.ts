import fc from 'fast-check'

const SURROGATES = 0x800

/** Any sign of Unicode. What fast-check has for it makes a table of all of them first, which takes more than a second. */
const sign = fc
  .integer({ min: 0, max: 0x10ffff - SURROGATES })
  .map((at) => String.fromCodePoint(at < 0xd800 ? at : at + SURROGATES))

/** Any text that is well-formed: each sign of Unicode may be in it, and none is half of a pair. */
export const anyText = (limits: { minLength?: number; maxLength?: number } = {}): fc.Arbitrary<string> =>
  fc.string({ unit: sign, ...limits })
