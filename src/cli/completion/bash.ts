import { type Declared, firstWords, flagsWith, groups, verbOf } from './declared.ts'

/** Works without the package bash-completion, and in the old bash of macOS, which lacks compopt. */
export function bashCompletion(all: readonly Declared[]): string {
  const verbs = groups(all).map(
    ({ word, verbs: of }) => `    ${word}) verbs='${of.map((each) => verbOf(each.name)).join(' ')}' ;;`,
  )
  const flags = all.map(({ name, flags: of }) => `    '${name}') flags='${of.map(({ flag }) => flag).join(' ')}' ;;`)
  const withFiles = all.filter(({ hasArguments }) => hasArguments).map(({ name }) => `'${name}'`)
  const first = [...firstWords(all).map(({ word }) => word), '--help', '--version']
  return `# Completion of dealbox for bash, made by "dealbox completion bash".
_dealbox() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]} IFS=$' \\t\\n'
  local first=\${COMP_WORDS[1]} second=\${COMP_WORDS[2]} verbs='' flags='' command
  # bash takes the = of --data=DIR for a word.
  if [ "$word" = = ]; then
    word=''
  elif [ "$before" = = ]; then
    before=\${COMP_WORDS[COMP_CWORD - 2]}
  fi
  COMPREPLY=()
  if [ "$COMP_CWORD" = 1 ]; then
    COMPREPLY=($(compgen -W '${first.join(' ')}' -- "$word"))
    return
  fi
  case $first in
${verbs.join('\n')}
  esac
  command=$first
  if [ "$COMP_CWORD" -gt 2 ]; then
    case " $verbs " in *" $second "*) command="$first $second" ;; esac
  fi
  case $command in
${flags.join('\n')}
  esac
  case $before in
    ${flagsWith(all, 'file').join(' | ')}) _dealbox_paths -f "$word"; return ;;
    ${flagsWith(all, 'folder').join(' | ')}) _dealbox_paths -d "$word"; return ;;
    ${flagsWith(all, 'text').join(' | ')}) return ;;
  esac
  case $word in
    -*)
      [ "$COMP_CWORD" -gt 2 ] || flags="$verbs $flags"
      COMPREPLY=($(compgen -W "$flags" -- "$word"))
      return
      ;;
  esac
  if [ "$COMP_CWORD" = 2 ] && [ -n "$verbs" ]; then
    COMPREPLY=($(compgen -W "$verbs" -- "$word"))
    [ \${#COMPREPLY[@]} = 0 ] || return
  fi
  case $command in
    ${withFiles.join(' | ')}) _dealbox_paths -f "$word" ;;
    *) [ -n "$word" ] || COMPREPLY=($flags) ;;
  esac
}
_dealbox_paths() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen "$1" -- "$2"))
  compopt -o filenames 2> /dev/null
}
complete -F _dealbox dealbox
`
}
