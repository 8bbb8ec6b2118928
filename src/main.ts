import { commands } from './cli/commands.ts'
import { endProcess } from './cli/ending.ts'
import { opens } from './cli/open.ts'
import { run, standardStreams } from './command/run.ts'

// Without a listener, Node opens its debugger on a port that every account of the machine reaches. The executable has an option
// against it, which also holds for the first moments.
process.on('SIGUSR1', () => {})

run(commands, process.argv.slice(2), process.env, standardStreams(), opens).then(endProcess)
