import { type Command, command, json, optionsOf } from '../command/command.ts'
import { type Found, keyOf, type Options } from '../command/config/options.ts'
import { unknownVariables, withoutEffect } from '../command/config/unknown.ts'
import { aligned, oneLine } from '../command/text.ts'
import { nearest } from '../lib/nearest.ts'
import { usage } from '../lib/problem.ts'

type Row = {
  key: string
  value: Found['value'] | null
  from: Found['from']
  where: string | null
  /** The commands with this option; those with another default have a row of their own. */
  commands: string[]
}

const MASKED = '***'

export const configShow = command({
  name: 'config show',
  summary: 'Print every option of a command, or of all commands, and where its value comes from; secrets are masked',
  rest: { name: 'command', help: 'a command such as serve, and its options; all commands by default' },
  options: { json },
  accepts: (words, commands) => optional(optionsOf(commands.filter(isMeant(words, commands)))),
  run: ({ found, file, env, rest, commands }) => {
    const shown = commands.filter(isMeant(rest, commands))
    const rows = rowsOf(shown, found)
    const table = rows.map(({ key, value, from, where, commands }) => [
      key,
      oneLine(textOf(value), 60),
      where === null ? from : `${from} ${where}`,
      ...(shown.length === 1 ? [] : [commands.length > 3 ? `${commands.length} commands` : commands.join(', ')]),
    ])
    const head = ['OPTION', 'VALUE', 'FROM', ...(shown.length === 1 ? [] : ['OF'])]
    const unknown = unknownVariables(env, optionsOf(commands))
    return {
      json: { file, options: rows, unknown_variables: unknown.map(({ variable }) => variable) },
      text: aligned([head, ...table]),
      note: unknown.map(withoutEffect).join('\n'),
    }
  },
})

/** Nothing is missing where values are only shown. */
const optional = (options: Options): Options =>
  Object.fromEntries(Object.entries(options).map(([name, { required, ...option }]) => [name, option]))

/** Throws a usage Problem if the words are no command. */
function isMeant(words: readonly string[], commands: readonly Command[]): ({ name }: Command) => boolean {
  if (words.length === 0) return () => true
  const meant = words.join(' ')
  if (commands.some(({ name }) => name === meant)) return ({ name }) => name === meant
  const other = nearest(
    meant,
    commands.map(({ name }) => name),
  )
  throw usage(`There is no command "${meant}". Did you mean "${other}"?`)
}

function rowsOf(commands: readonly Command[], found: ReadonlyMap<string, Found>): Row[] {
  const rows = new Map<string, Row>()
  for (const { name: command, options } of commands) {
    for (const [name, option] of Object.entries(options)) {
      const { value, from, where } = found.get(name) as Found
      const isUnset = from === 'default' && option.type === 'string' // the default may be that of another command
      const own = isUnset ? option.default : value
      const shown = option.secret && own !== undefined ? MASKED : (own ?? null)
      const row = rows.get(`${name} ${shown}`)
      if (row) row.commands.push(command)
      else rows.set(`${name} ${shown}`, { key: keyOf(name), value: shown, from, where, commands: [command] })
    }
  }
  return [...rows.values()]
}

function textOf(value: Row['value']): string {
  if (value === null || value === undefined) return '-'
  if (typeof value === 'object') return value.length === 0 ? '-' : value.join(', ')
  return value === '' ? '-' : String(value)
}
