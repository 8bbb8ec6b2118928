import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { WrittenName } from '../../../src/lib/written/people/names.ts'

/** A row of a table: what somebody writes, where, and what they mean by it. */
export type Row = {
  kind: string
  context: Record<string, string>
  written: string
  /** Values with " ¦ " between them; REFUSE, or AMBIGUOUS, of which a file names the readings. */
  meant: string
  why: string
}

const visible = (text: string): string =>
  text.replace(/\\u\{([0-9A-Fa-f]+)\}/g, (_, code) => String.fromCodePoint(Number.parseInt(code, 16)))

/** A table of what people write, by kind. Invisible characters stand there as \u{200B}. */
export function rowsOf(kind: string, table = 'people.tsv'): Row[] {
  const lines = readFileSync(join(import.meta.dirname, table), 'utf8')
    .trimEnd()
    .split('\n')
    .slice(1)
  return lines
    .map((line) => line.split('\t') as [string, string, string, string, string])
    .filter(([each]) => each === kind)
    .map(([, context, written, meant, why]) => ({
      kind,
      context: Object.fromEntries(context.split('; ').flatMap((pair) => (pair ? [pair.split('=')] : []))),
      written: visible(written),
      meant: visible(meant),
      why,
    }))
}

const PARTS = ['prefix', 'given', 'family', 'suffix', 'nickname', 'company', 'rest'] as const

/** A name as the table has it. */
export const shownName = (name: WrittenName): string =>
  PARTS.flatMap((part) => (name[part] === undefined ? [] : [`${part}=${name[part]}`])).join(' ¦ ')

/** The name that a row of the table means; null for none. */
export const meantName = ({ meant }: Pick<Row, 'meant'>): WrittenName | null =>
  /^(?:REFUSE|AMBIGUOUS)/.test(meant)
    ? null
    : Object.fromEntries(meant.split(' ¦ ').map((pair) => pair.split(/=(.*)/s) as [string, string]))
