import type { Readable } from 'node:stream'
import { Problem } from '../lib/problem.ts'

/** `process.stdin` is one: a terminal, or a pipe or file without `isTTY`. */
export type Input = Readable & { isTTY?: boolean; setRawMode?: (mode: boolean) => unknown }

const MAX_CHARACTERS = 10_000

/** What arrows and the like send. */
const SEQUENCE = /\x1b(?:\[[0-9;]*[~A-Za-z]|O.)/g

/**
 * A secret from standard input: at a terminal what is typed after the question, which is not shown; else the first line.
 * Throws Problem where nothing is given. The terminal is as before afterwards.
 */
export async function askSecret(question: string, input: Input, say: (text: string) => void): Promise<string> {
  if (!input.isTTY) return firstLine(input)
  input.setRawMode?.(true)
  say(question)
  try {
    return await typed(input)
  } finally {
    input.setRawMode?.(false)
    say('\n')
  }
}

/** The terminal acts on no key by itself meanwhile, not even on Ctrl-C. */
async function typed(input: Input): Promise<string> {
  let text = ''
  for await (const keys of chunks(input)) {
    for (const key of keys.replace(SEQUENCE, '')) {
      if (key === '\r' || key === '\n') return given(text)
      if (key === '\x03' || key === '\x04') throw canceled()
      if (key === '\x7f' || key === '\b') text = [...text].slice(0, -1).join('')
      else if (key === '\x15') text = ''
      else if (key >= ' ') text += key
    }
  }
  throw canceled()
}

async function firstLine(input: Input): Promise<string> {
  let text = ''
  for await (const chunk of chunks(input)) {
    text += chunk
    if (text.includes('\n') || text.length > MAX_CHARACTERS) break
  }
  return given((text.split('\n')[0] as string).replace(/\r$/, ''))
}

function given(text: string): string {
  if (text === '') throw canceled()
  return text
}

const canceled = (): Problem => new Problem(400, 'canceled', 'Nothing was given, and nothing was stored.')

/** Behind them a terminal stays open, to be told to show again what is typed; others are closed, and keep nobody waiting. */
async function* chunks(input: Input): AsyncGenerator<string> {
  input.setEncoding('utf8')
  try {
    for await (const chunk of input.iterator({ destroyOnReturn: !input.isTTY })) yield chunk
  } finally {
    input.pause()
  }
}
