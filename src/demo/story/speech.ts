import { type Scene, WORDS } from '../words/words.ts'
import { told } from './conversations.ts'
import type { Random } from './random.ts'
import type { TranscriptGiven, Voice } from './steps.ts'

/** Speaking rate, including pauses between sentences. */
const WORDS_PER_S = 2.4

/**
 * Returns a transcript: an opening, a few scenes and an ending. The first voice is the team's; the third may be
 * missing.
 */
export function transcriptOf(random: Random, voices: readonly Voice[], words: Record<string, string>): TranscriptGiven {
  const scenes = random.shuffled(WORDS.scenes).slice(0, random.between(6, 10))
  // Without a third voice, scenes that greet or involve one are left out.
  const fits = (scene: Scene) => voices.length > 2 || scene.every(([who]) => who !== 'other')
  const script = [random.pick(WORDS.openings.filter(fits)), ...scenes, random.pick(WORDS.endings.filter(fits))]
  let at = random.between(1500, 6000)
  const segments = script.flatMap((scene) => {
    at += random.between(800, 25_000) // a pause, for example to find a page
    return scene.map(([who, line]) => {
      const text = told(line, words)
      const start_ms = at
      const end_ms = start_ms + 400 + Math.round((text.split(' ').length / WORDS_PER_S) * 1000)
      at = end_ms + random.between(150, 1400)
      return { speaker: voiceOf(voices, who).key, start_ms, end_ms, text }
    })
  })
  return { language: 'en', source: 'meet.example', segments }
}

function voiceOf([us, them, other = them]: readonly Voice[], who: Scene[number][0]): Voice {
  return { us, them, other }[who] as Voice
}
