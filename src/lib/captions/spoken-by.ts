import { fold } from '../fold.ts'
import { type Captions, type Segment, speakersOf } from './captions.ts'

/**
 * Takes the names in front of texts, as in "Ana Ruiz: Hello", for speakers where they are those of people who were
 * there. Other texts with a colon stay as they are, and so does what has a speaker. Each line may begin with a name: one
 * caption can have what several people say.
 */
export function spokenBy(captions: Captions, names: readonly string[]): Captions {
  const known = new Map(names.map((name) => [fold(name.trim()), name.trim()]))
  known.delete('')
  if (known.size === 0) return captions
  const segments = captions.segments.flatMap((segment) => (segment.speaker === null ? split(segment, known) : segment))
  return { speakers: speakersOf(segments), segments }
}

function split(segment: Segment, known: ReadonlyMap<string, string>): Segment[] {
  const parts: Segment[] = []
  for (const line of segment.text.split('\n')) {
    const [name, said] = nameIn(line, known)
    const last = parts.at(-1)
    if (name === null && last) last.text += `\n${line}`
    else parts.push({ ...segment, speaker: name, text: said })
  }
  return parts.map((part) => ({ ...part, text: part.text.trim() })).filter(({ text }) => text !== '')
}

/** The name that a line begins with, and the rest of the line. */
function nameIn(line: string, known: ReadonlyMap<string, string>): [name: string | null, said: string] {
  const colon = line.indexOf(':')
  const name = colon < 0 ? undefined : known.get(fold(line.slice(0, colon).trim()))
  return name === undefined ? [null, line] : [name, line.slice(colon + 1)]
}
