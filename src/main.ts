import { commands } from './cli/commands.ts'
import { run, standardStreams } from './cli/run.ts'

run(commands, process.argv.slice(2), process.env, standardStreams()).then((code) => {
  process.exitCode = code
})
