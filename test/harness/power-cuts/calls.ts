import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'

// The lines that strace has written, as calls.

export type Call = { name: string; args: string; result: number }

const LINE = /^(\d+)\s+(.*)$/
const CALL = /^(\w+)\((.*)\)\s+=\s+(-?\d+)/s

/** The calls in the order in which they ended, of all threads. */
export async function* callsIn(path: string): AsyncGenerator<Call> {
  const unfinished = new Map<string, string>()
  for await (const line of createInterface({ input: createReadStream(path, 'latin1') })) {
    const [, thread = '', rest = ''] = LINE.exec(line) ?? []
    if (rest.endsWith(' <unfinished ...>')) {
      unfinished.set(thread, rest.slice(0, -' <unfinished ...>'.length))
      continue
    }
    const resumed = /^<\.\.\. \w+ resumed>/.exec(rest)?.[0]
    const [, name = '', args = '', result] =
      CALL.exec(resumed ? (unfinished.get(thread) ?? '') + rest.slice(resumed.length) : rest) ?? []
    if (name) yield { name, args, result: Number(result) }
  }
}

/** The strings in the arguments of a call: strace writes each byte as \xhh. */
export function textsIn(args: string): Buffer[] {
  return [...args.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map(([, hex = '']) =>
    Buffer.from(hex.replaceAll('\\x', ''), 'hex'),
  )
}
