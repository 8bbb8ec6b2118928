import { builtAt, version } from '../assets.ts'
import { type Command, command } from '../command/command.ts'
import { type Options, optionUsage, variableOf } from '../command/config/options.ts'
import { remarkOf } from '../command/help.ts'
import { rfc3339 } from '../lib/time.ts'

export const manual = command({
  name: 'manual',
  summary: 'Print the manual page of all commands: dealbox manual | man -l -',
  run: ({ commands }) => {
    const text = manualPage(commands, version, builtAt)
    return { json: { manual: text }, text: text.trimEnd() }
  },
})

/** A page of man(7) for section 1. `at` is its date, in epoch milliseconds. */
export function manualPage(commands: readonly Command[], of: string, at: number | undefined): string {
  const date = at === undefined ? '' : rfc3339(at).slice(0, 10)
  return `.\\" Made by "dealbox manual".
.TH DEALBOX 1 "${date}" "Dealbox ${roff(of)}" "Dealbox"
.SH NAME
dealbox \\- a CRM server in one executable
.SH SYNOPSIS
.B dealbox
.I COMMAND
.RI [ VERB ]
.RI [ options ]
.SH DESCRIPTION
Contacts, companies, deals, mail and meetings on a machine of your own: one executable, one data folder.
.B dealbox serve
starts the server, and in an empty folder prints a link that sets it up.
The other commands work on the same data folder, also beside a running server.
.PP
Each option is read from the command line, else from its environment variable, else from the configuration file, else it has its
default.
.SH COMMANDS
${commands.map(section).join('\n')}
.SH FILES
.TP
.I dealbox.json
in the data folder: a configuration file, with options as its keys, such as {"api\\-listen": "127.0.0.1:8080"}.
.TP
.I /etc/systemd/system/dealbox.service.d/options.conf
the options of the service, as
.B dealbox install
wrote them.
.SH EXIT STATUS
0 success, 1 failure, 2 a mistake on the command line.
`
}

function section({ name, summary, args, options, rest }: Command): string {
  const given = [...Object.entries(args), ...(rest ? [[rest.name, rest.help] as const] : [])]
  const words = [
    ...Object.keys(args).map((arg) => arg.toUpperCase()),
    ...(rest ? [`[${rest.name.toUpperCase()}]`] : []),
  ]
  return [
    `.SS "${roff(['dealbox', name, ...words].join(' '))}"`,
    `${roff(summary)}.`,
    ...given.map(([arg, help]) => `.TP\n.I ${roff(arg.toUpperCase())}\n${roff(help)}`),
    ...optionLines(options),
  ].join('\n')
}

const optionLines = (options: Options): string[] =>
  Object.entries(options).map(
    ([name, option]) =>
      `.TP\n.B ${roff(optionUsage(name, option))}\n${roff(option.help + remarkOf(option))}. ${roff(variableOf(name))}`,
  )

/** Text that man takes as it is, also at the beginning of a line. */
const roff = (text: string): string =>
  text
    .replace(/\\/g, '\\e')
    .replace(/-/g, '\\-')
    .replaceAll('"', '\\(dq')
    .replace(/^([.'])/, '\\&$1')
