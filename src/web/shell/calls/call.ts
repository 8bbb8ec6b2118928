import { me } from '../../data/boot.ts'
import { create } from '../../data/records.ts'
import type { Fields, Task } from '../../data/types.ts'
import { asStep } from '../../data/writes.ts'
import { fold } from '../../lib/fold.ts'
import { LONGEST_LINE, overLine } from '../../lib/letters.ts'

// A call that was made is a task of the type call that is done, as imports bring them in: docs/decisions/062-calls.md. What is
// known of it beside its text are lines of the body, the same in every language, so that programs read them as well.

export const DIRECTIONS = ['outgoing', 'incoming'] as const
export const OUTCOMES = ['reached', 'no answer', 'message left'] as const
export type Facts = { direction?: (typeof DIRECTIONS)[number]; outcome?: (typeof OUTCOMES)[number] }

/** What says so in a text, folded; the first that is found counts. */
const OUTCOME_WORDS: readonly (readonly [Facts['outcome'], RegExp])[] = [
  [
    'message left',
    /\b(?:left (?:a |her a |him a |them a )?(?:message|voicemail)|voicemail|nachricht hinterlassen|auf (?:die )?mailbox gesprochen)\b/,
  ],
  [
    'no answer',
    /\b(?:no answer|not reached|(?:did not|didn.?t|could not|couldn.?t) (?:answer|pick up|reach)|nobody (?:answered|there)|busy|nicht erreicht|niemand(?:en)? erreicht|ging nicht ran|besetzt)\b/,
  ],
  ['reached', /\b(?:reached|spoke|talked|erreicht|gesprochen|telefoniert)\b/],
]
const INCOMING =
  /^(?:(?:she|he|they|customer) (?:called|rang|phoned)|incoming|called (?:me|us|back)|hat angerufen|rief (?:an|zuruck)|eingehend)\b/
const OUTGOING = /^(?:called|rang|phoned|outgoing|ausgehend|angerufen)\b/

/** What a line says of a call: "reached her, wants the offer by Friday". */
export function readCall(text: string): Facts {
  const words = fold(text.trim())
  const outcome = OUTCOME_WORDS.find(([, said]) => said.test(words))?.[0]
  const direction = INCOMING.test(words) ? 'incoming' : outcome || OUTGOING.test(words) ? 'outgoing' : undefined
  return { ...(direction ? { direction } : {}), ...(outcome ? { outcome } : {}) }
}

const LINE = /^(Direction|Outcome): (.+)$/

/** The facts in the body of a call, and the rest of it. */
export function factsIn(body: string | null | undefined): Facts & { rest: string } {
  const facts: Facts = {}
  const rest = (body ?? '').split('\n').filter((line) => {
    const [, name, value] = LINE.exec(line) ?? []
    const direction = DIRECTIONS.find((each) => name === 'Direction' && each === value)
    const outcome = OUTCOMES.find((each) => name === 'Outcome' && each === value)
    if (direction) facts.direction = direction
    if (outcome) facts.outcome = outcome
    return !direction && !outcome
  })
  return { ...facts, rest: rest.join('\n').trim() }
}

export type Call = Facts & {
  text: string
  /** When it was, if that was not just now. */
  at?: string | null | undefined
  /** What it was about, such as `contact_ids`. */
  links: Fields
}

/** Writes a call that was made, as a step of mine. A text that is too long for a title stands in the body, too. */
export async function logCall({ text, direction, outcome, at, links }: Call, word: string): Promise<{ step: string }> {
  const line = text.trim().replace(/\s+/g, ' ')
  const isLong = overLine(line) !== undefined
  const title = isLong ? `${[...line.normalize('NFC')].slice(0, LONGEST_LINE - 1).join('')}…` : line || word
  const body = [
    isLong ? text.trim() : '',
    direction ? `Direction: ${direction}` : '',
    outcome ? `Outcome: ${outcome}` : '',
  ]
    .filter(Boolean)
    .join('\n')
  let done: Promise<Task> | undefined
  const step = asStep(() => {
    done = create('tasks', {
      title,
      type: 'call',
      status: 'done',
      owner_id: me.peek().id,
      due_at: at ?? null,
      body: body || null,
      ...links,
    })
  })
  await done
  return { step }
}
