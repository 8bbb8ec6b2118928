import { type Captions, labelsOf, withoutEmptyLines } from './captions.ts'

/** For reading: each turn starts with the speaker's name, and an empty line separates turns. */
export function writeText({ speakers, segments }: Captions): string {
  const labels = labelsOf(speakers)
  let text = ''
  let last: string | null | undefined
  for (const { speaker, text: said } of segments) {
    const label = labels.get(speaker)
    if (speaker !== last) text += `${text && '\n'}${label === undefined ? '' : `${label}: `}`
    text += `${withoutEmptyLines(said)}\n`
    last = speaker
  }
  return text
}
