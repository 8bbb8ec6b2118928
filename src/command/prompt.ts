import type { Readable } from 'node:stream'
import { Problem } from '../lib/problem.ts'

/** `process.stdin` is such a stream: a terminal, or a pipe or file without `isTTY`. */
export type Input = Readable & { isTTY?: boolean; setRawMode?: (mode: boolean) => unknown }

const MAX_CHARACTERS = 10_000

/** The sequences that arrow keys and the like send. */
const SEQUENCE = /\x1b(?:\[[0-9;]*[~A-Za-z]|O.)/g

/**
 * Reads a secret from standard input: at a terminal, the hidden text typed after the question; else the first line.
 * Throws a Problem if it is empty. Restores the terminal afterwards.
 */
export async function askSecret(
  question: string,
  input: Input,
  say: (text: string) => void,
  nothing = 'No password was entered, and nothing was stored.',
): Promise<string> {
  const text = input.isTTY ? await hidden(question, input, say) : await firstLine(input)
  if (text) return text
  throw new Problem(400, 'canceled', nothing)
}

/** Asks at a terminal. */
export async function askYes(
  question: string,
  { input = process.stdin as Input, say = sayAside } = {},
): Promise<boolean> {
  say(`${question} [y/N] `)
  return /^y(es)?$/i.test((await firstLine(input)).trim())
}

const sayAside = (text: string): void => void process.stderr.write(text)

async function hidden(question: string, input: Input, say: (text: string) => void): Promise<string> {
  input.setRawMode?.(true)
  say(question)
  try {
    return await typed(input)
  } finally {
    input.setRawMode?.(false)
    say('\n')
  }
}

/** Reads keys in raw mode, in which the terminal handles none itself, not even Ctrl-C. Returns '' if it was canceled. */
async function typed(input: Input): Promise<string> {
  let text = ''
  for await (const keys of chunks(input)) {
    for (const key of keys.replace(SEQUENCE, '')) {
      if (key === '\r' || key === '\n') return text
      if (key === '\x03' || key === '\x04') return ''
      if (key === '\x7f' || key === '\b') text = [...text].slice(0, -1).join('')
      else if (key === '\x15') text = ''
      else if (key >= ' ') text += key
    }
  }
  return ''
}

async function firstLine(input: Input): Promise<string> {
  let text = ''
  for await (const chunk of chunks(input)) {
    text += chunk
    if (text.includes('\n') || text.length > MAX_CHARACTERS) break
  }
  return (text.split('\n')[0] as string).replace(/\r$/, '')
}

/**
 * Leaves a terminal open afterwards, so that its echo can be restored; other inputs are closed, so that they do not
 * keep the process running.
 */
async function* chunks(input: Input): AsyncGenerator<string> {
  input.setEncoding('utf8')
  try {
    for await (const chunk of input.iterator({ destroyOnReturn: !input.isTTY })) yield chunk
  } finally {
    input.pause()
  }
}
