import { type Declared, type Flag, firstWords, groups, type Value, verbOf } from './declared.ts'

export function fishCompletion(all: readonly Declared[]): string {
  const pairs = all.filter(({ name }) => name.includes(' ')).map(({ name }) => quoted(name))
  const first = firstWords(all).map(
    ({ word, help }) => `complete -c dealbox -n __dealbox_at -a ${word} -d ${quoted(help)}`,
  )
  const verbs = groups(all).flatMap(({ word, verbs: of }) =>
    of.map(
      ({ name, summary }) => `complete -c dealbox -n '__dealbox_at ${word}' -a ${verbOf(name)} -d ${quoted(summary)}`,
    ),
  )
  const rest = all.flatMap(({ name, flags, hasArguments }) => {
    const isHere = `complete -c dealbox -n '__dealbox_in "${name}"'`
    return [...(hasArguments ? [`${isHere} -F`] : []), ...flags.map((flag) => `${isHere} ${flagSpec(flag)}`)]
  })
  return `# Completion of dealbox for fish, made by "dealbox completion fish".
set -g __dealbox_pairs ${pairs.join(' ')}
# Whether the line has exactly these words so far.
function __dealbox_at
    set -l words (commandline -opc)
    test "$words[2..-1]" = "$argv"
end
# Whether the line is one of this command.
function __dealbox_in
    set -l words (commandline -opc)
    set -l command "$words[2]"
    contains -- "$words[2] $words[3]" $__dealbox_pairs; and set command "$words[2] $words[3]"
    test "$command" = "$argv"
end
complete -c dealbox -f
complete -c dealbox -n __dealbox_at -l help -d 'show the help'
complete -c dealbox -n __dealbox_at -l version -d 'show the version'
${[...first, ...verbs, ...rest].join('\n')}
`
}

const TAKES: Record<Value, string> = {
  none: '',
  text: ' -x',
  file: ' -r -F',
  folder: " -x -a '(__fish_complete_directories)'",
}

const flagSpec = ({ flag, value, help }: Flag): string => `-l ${flag.slice(2)}${TAKES[value]} -d ${quoted(help)}`

const quoted = (text: string): string => `'${text.replace(/['\\]/g, '\\$&')}'`
