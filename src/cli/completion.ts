import { type Command, command } from '../command/command.ts'
import { bashCompletion } from './completion/bash.ts'
import { type Declared, declared } from './completion/declared.ts'
import { fishCompletion } from './completion/fish.ts'
import { zshCompletion } from './completion/zsh.ts'

/** The texts are complete in themselves: a shell does not start the executable for each key. */
const completionFor = (shell: string, where: string, make: (all: readonly Declared[]) => string): Command =>
  command({
    name: `completion ${shell}`,
    summary: `Print what lets ${shell} complete commands and options: ${where}`,
    run: ({ commands }) => {
      const text = make(declared(commands))
      return { json: { [shell]: text }, text: text.trimEnd() }
    },
  })

export const completionBash = completionFor('bash', 'source <(dealbox completion bash)', bashCompletion)
export const completionZsh = completionFor('zsh', 'source <(dealbox completion zsh)', zshCompletion)
export const completionFish = completionFor('fish', 'dealbox completion fish | source', fishCompletion)
