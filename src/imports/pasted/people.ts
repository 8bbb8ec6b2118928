import { readEmails } from '../../lib/written/people/emails.ts'
import { isGivenName } from '../../lib/written/people/given-names.ts'

// Which lines of a text are about one person: a list of addresses, a person to a line, or a signature of many lines.

/** The lines of each person. */
export function peopleIn(text: string): string[][] {
  const lines = text.split('\n').map((line) => line.trim())
  const written = lines.filter((line) => line !== '')
  if (written.every((line) => line.includes('@'))) return written.flatMap(ofLine)
  return ofBlocks(lines)
}

/** "Ana <ana@…>; Bo <bo@…>", or one person with all that is known of them. */
function ofLine(line: string): string[][] {
  const parts = apart(line, ';')
  if (parts.length > 1 && parts.every((part) => part.includes('@'))) return parts.flatMap(ofLine)
  if (parts.length > 1) return [[line]]
  const people: string[] = []
  let open: string[] = []
  for (const part of apart(line, ',')) {
    if (!part.includes('@')) {
      open.push(part)
      continue
    }
    people.push([...open, part].join(', '))
    open = []
  }
  // What stands behind the last address is about the same person.
  const last = people.pop() ?? ''
  return [...people, [last, ...open].filter(Boolean).join(', ')].map((each) => [each])
}

/** The parts between separators outside of quotation marks and angle brackets. */
export function apart(text: string, separator: ';' | ','): string[] {
  const parts = text.match(
    separator === ';' ? /(?:"[^"]*"|<[^<>]*>|[^;"<]|["<])+/g : /(?:"[^"]*"|<[^<>]*>|[^,"<]|["<])+/g,
  )
  return (parts ?? []).map((part) => part.trim()).filter((part) => part !== '')
}

/** Signatures below each other: with the next address begins the next person, at the name in front of it. */
function ofBlocks(lines: readonly string[]): string[][] {
  const people: string[][] = []
  let open: string[] = []
  const last = lines.findLastIndex(hasEmail)
  lines.forEach((line, at) => {
    const isNext = isNamed(line) || lines[at - 1] === '' || (isFirstNamed(line) && !line.includes('@'))
    if (line !== '' && at <= last && isNext && open.some(hasEmail)) {
      people.push(open)
      open = []
    }
    if (line !== '') open.push(line)
  })
  return open.length > 0 ? [...people, open] : people
}

/** A longer line is none that people write; it is not looked at. */
export const LONGEST_LINE = 500

const hasEmail = (line: string): boolean =>
  line.includes('@') &&
  line.length <= LONGEST_LINE &&
  line.split(/[\s|<>,;]+/).some((word) => word.includes('@') && 'value' in readEmails(word, { isSeen: true }))

/** "Ana Pérez <ana@…>" */
const isNamed = (line: string): boolean => line.length <= LONGEST_LINE && /\p{L}.*<[^<>@]+@[^<>@]+>/u.test(line)

const isFirstNamed = (line: string): boolean => {
  const words = line.split(/\s+/)
  return words.length >= 2 && words.length <= 4 && !/\d/.test(line) && isGivenName(words[0] as string)
}
