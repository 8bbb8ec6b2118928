import type { Command } from './command.ts'
import { type Options, optionUsage, variableOf } from './config/options.ts'
import { aligned } from './text.ts'

/** Returns the help for all commands, or for one group such as `token`. */
export function listHelp(commands: readonly Command[], group?: string): string {
  return `Usage: dealbox ${group ?? 'COMMAND'}${group ? ' VERB' : ''} [options]

${aligned(commands.map(({ name, summary }) => [`  dealbox ${name}`, summary]))}

"dealbox COMMAND --help" shows the options of a command.
`
}

export function commandHelp({ name, summary, args, options, rest }: Command): string {
  const given = [...Object.entries(args), ...(rest ? [[rest.name, rest.help] as const] : [])]
  const argumentHelp =
    given.length === 0 ? '' : `\nArguments:\n${aligned(given.map(([arg, help]) => [`  ${arg.toUpperCase()}`, help]))}\n`
  return `Usage: ${usageLine({ name, args, options, rest })}

${summary}.
${argumentHelp}
Options, each also by its environment variable, and in a configuration file:
${aligned([...Object.entries(options).map(([option, spec]) => optionLine(option, spec)), ['  --help', '', 'show this']])}
`
}

function usageLine({ name, args, options, rest }: Pick<Command, 'name' | 'args' | 'options' | 'rest'>): string {
  const required = Object.entries(options).filter(([, { required }]) => required)
  const parts = [
    ...Object.keys(args).map((arg) => arg.toUpperCase()),
    ...(rest ? [`[${rest.name.toUpperCase()}]`] : []),
    ...required.map(([option, spec]) => optionUsage(option, spec)),
    '[options]',
  ]
  return `dealbox ${name} ${parts.join(' ')}`
}

const optionLine = (name: string, option: Options[string]): string[] => [
  `  ${optionUsage(name, option)}`,
  variableOf(name),
  option.help + remarkOf(option),
]

export const remarkOf = ({ required, default: usual }: Options[string]): string =>
  required ? ' (required)' : !usual ? '' : ` (default ${usual})`
