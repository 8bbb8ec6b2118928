import { type Declared, type Flag, firstWords, groups, type Value, verbOf } from './declared.ts'

/** For a folder of $fpath as _dealbox, or for "source". */
export function zshCompletion(all: readonly Declared[]): string {
  const choices = firstWords(all).map(({ word, help }) => `      ${described(word, help)}`)
  const verbs = groups(all).map(({ word, verbs: of }) => {
    const lines = of.map(({ name, summary }) => `        ${described(verbOf(name), summary)}`)
    return `    ${word})\n      verbs=(\n${lines.join('\n')}\n      )\n      ;;`
  })
  const commands = all.map(({ name, flags, hasArguments }) => {
    const specs = [...flags.map(flagSpec), ...(hasArguments ? ["'*:argument:_files'"] : [])]
    return `    '${name}')\n      _arguments -s \\\n${specs.map((spec) => `        ${spec}`).join(' \\\n')}\n      ;;`
  })
  return `#compdef dealbox
# Completion of dealbox for zsh, made by "dealbox completion zsh".
_dealbox() {
  local -a choices verbs
  local command=$words[2]
  if (( CURRENT == 2 )); then
    choices=(
${choices.join('\n')}
      '--help:show the help'
      '--version:show the version'
    )
    _describe -t commands 'command' choices
    return
  fi
  case $command in
${verbs.join('\n')}
  esac
  if (( CURRENT == 3 && $#verbs > 0 )); then
    _describe -t verbs 'verb' verbs && return
  fi
  if (( CURRENT > 3 )) && (( \${verbs[(I)$words[3]:*]} )); then
    command="$command $words[3]"
    shift words
    (( CURRENT-- ))
  fi
  shift words
  (( CURRENT-- ))
  case $command in
${commands.join('\n')}
  esac
}
if [ "$funcstack[1]" = _dealbox ]; then
  _dealbox "$@"
else
  compdef _dealbox dealbox
fi
`
}

const described = (word: string, help: string): string => quoted(`${word.replaceAll(':', '\\:')}:${help}`)

const ACTIONS: Record<Value, string> = { none: '', text: ' ', file: '_files', folder: '_files -/' }

function flagSpec({ flag, value, placeholder, help, mayRepeat }: Flag): string {
  const told = help.replace(/[[\]\\:]/g, '\\$&')
  const taken = value === 'none' ? '' : `:${placeholder.replaceAll(':', '\\:')}:${ACTIONS[value]}`
  return quoted(`${mayRepeat ? '*' : ''}${flag}${value === 'none' ? '' : '='}[${told}]${taken}`)
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
