import { commands } from './cli/commands.ts'
import { endProcess } from './cli/ending.ts'
import { run, standardStreams } from './cli/run.ts'

run(commands, process.argv.slice(2), process.env, standardStreams()).then(endProcess)
