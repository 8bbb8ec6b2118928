import { fold } from '../pure/fold.ts'
import { type Captions, type Segment, speakersOf } from './captions.ts'

/**
 * Turns names at the start of a text, as in "Ana Ruiz: Hello", into speakers if they are among `names`. Other texts
 * with a colon stay unchanged, and so do segments that have a speaker. Each line may start with a name: one caption can
 * contain several people.
 */
export function spokenBy(captions: Captions, names: readonly string[]): Captions {
  const namesByFold = new Map(names.map((name) => [fold(name.trim()), name.trim()]))
  namesByFold.delete('')
  if (namesByFold.size === 0) return captions
  const segments = captions.segments.flatMap((segment) =>
    segment.speaker === null ? split(segment, namesByFold) : segment,
  )
  return { speakers: speakersOf(segments), segments }
}

function split(segment: Segment, namesByFold: ReadonlyMap<string, string>): Segment[] {
  const parts: Segment[] = []
  for (const line of segment.text.split('\n')) {
    const [name, said] = nameIn(line, namesByFold)
    const last = parts.at(-1)
    if (name === null && last) last.text += `\n${line}`
    else parts.push({ ...segment, speaker: name, text: said })
  }
  return parts.map((part) => ({ ...part, text: part.text.trim() })).filter(({ text }) => text !== '')
}

/** The name at the start of a line, and the rest of the line. */
function nameIn(line: string, namesByFold: ReadonlyMap<string, string>): [name: string | null, said: string] {
  const colon = line.indexOf(':')
  const name = colon < 0 ? undefined : namesByFold.get(fold(line.slice(0, colon).trim()))
  return name === undefined ? [null, line] : [name, line.slice(colon + 1)]
}
