import type { Command } from '../../command/command.ts'
import { flagOf, type Options } from '../../command/config/options.ts'

// What the shells complete, by the declarations that also make --help.

/** What stands after a flag, or as an argument. `none` is a flag without a value. */
export type Value = 'none' | 'text' | 'file' | 'folder'

export type Flag = { flag: string; value: Value; placeholder: string; help: string; mayRepeat: boolean }

export type Declared = {
  /** `token create` */
  name: string
  summary: string
  flags: readonly Flag[]
  /** Whether files may be arguments. */
  hasArguments: boolean
}

export type Group = { word: string; verbs: readonly Declared[] }

export const HELP: Flag = { flag: '--help', value: 'none', placeholder: '', help: 'show the help', mayRepeat: false }

export const declared = (commands: readonly Command[]): Declared[] =>
  commands.map(({ name, summary, options, args, rest }) => ({
    ...{ name, summary },
    flags: [...flagsOf(options), HELP],
    hasArguments: rest !== undefined || Object.keys(args).length > 0,
  }))

const flagsOf = (options: Options): Flag[] =>
  Object.entries(options).map(([name, { type, placeholder = name.toUpperCase(), help }]) => ({
    ...{ flag: flagOf(name), help },
    placeholder: type === 'boolean' ? '' : placeholder,
    value: type === 'boolean' ? 'none' : kindOf(placeholder),
    mayRepeat: type === 'strings',
  }))

/** The placeholder in the help says what it is: FILE, or one of several, as in DIR|URL. */
function kindOf(placeholder: string): Value {
  const forms = placeholder.split('|')
  if (forms.includes('FILE')) return 'file'
  return forms.includes('DIR') ? 'folder' : 'text'
}

/** Words with verbs, such as `token`. The word alone may be a command as well, such as `import`. */
export function groups(all: readonly Declared[]): Group[] {
  const words = [...new Set(all.filter(({ name }) => name.includes(' ')).map(({ name }) => firstWord(name)))]
  return words.map((word) => ({ word, verbs: all.filter(({ name }) => name.startsWith(`${word} `)) }))
}

/** Each first word once, with the summary of the command, or the verbs of a group. */
export function firstWords(all: readonly Declared[]): { word: string; help: string }[] {
  const words = [...new Set(all.map(({ name }) => firstWord(name)))]
  return words.map((word) => {
    const own = all.find(({ name }) => name === word)
    const verbs = all.filter(({ name }) => name.startsWith(`${word} `)).map(({ name }) => verbOf(name))
    return { word, help: own?.summary ?? verbs.join(', ') }
  })
}

const firstWord = (name: string): string => name.split(' ')[0] as string
export const verbOf = (name: string): string => name.split(' ')[1] ?? ''

/** Flags of a kind among all commands: an option is the same wherever it is. */
export const flagsWith = (all: readonly Declared[], value: Value): string[] => [
  ...new Set(all.flatMap(({ flags }) => flags.filter((each) => each.value === value).map(({ flag }) => flag))),
]
