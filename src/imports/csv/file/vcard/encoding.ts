import { runCollector } from '../encodings/runs.ts'
import { charsetIn, unfoldedBytes, utf8Of } from './lines.ts'
import { quotedBytes } from './property.ts'

/** Collects the lines of cards that are neither UTF-8 nor say what they are: old phones write the encoding of their country. */
export async function unknownLines(chunks: AsyncIterable<Buffer>): Promise<ReturnType<typeof runCollector>> {
  const collector = runCollector()
  for await (const { bytes } of unfoldedBytes(chunks)) {
    if (charsetIn(bytes) !== undefined) continue
    const colon = bytes.indexOf(0x3a)
    const isQuoted = /;(?:ENCODING=)?QUOTED-PRINTABLE/i.test(bytes.toString('latin1', 0, Math.min(200, colon)))
    const value = isQuoted ? quotedBytes(bytes.toString('latin1', colon + 1)) : bytes.subarray(colon + 1)
    if (utf8Of(value) === undefined) collector.add(Buffer.concat([value, Buffer.from('\n')]))
  }
  return collector
}
