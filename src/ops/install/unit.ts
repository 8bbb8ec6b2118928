import { existsSync } from 'node:fs'
import { dirname, isAbsolute } from 'node:path'
import {
  flagOf,
  keyOf,
  type Listen,
  type Option,
  type Options,
  parseListen,
  variableOf,
} from '../../command/config/options.ts'
import { usage } from '../../lib/problem.ts'
import { FILE_OR_RECIPIENT } from '../backup/commands/backup-places.ts'
import { FOLDER_OR_URL } from '../replication/commands/replica-options.ts'

/** Where `install` puts the executable, which the service user may run and only root may replace. */
export const EXECUTABLE = '/usr/local/bin/dealbox'
/** systemd makes it, for the user of the service alone. */
export const DATA = '/var/lib/dealbox'
export const USER = 'dealbox'
export const UNIT = '/etc/systemd/system/dealbox.service'
/** Where the packages for Debian and Fedora have both: those are theirs, and `install` only writes options. */
export const PACKAGED_EXECUTABLE = '/usr/bin/dealbox'
export const PACKAGED_UNIT = '/usr/lib/systemd/system/dealbox.service'
/** The beginning of what is ours in /etc, which a package replaces by its own. */
export const WRITTEN_BY = '# Written by "dealbox install"'
/** What is particular to this machine: systemd adds it to the unit, and an update leaves it alone. */
export const OPTIONS = `${UNIT}.d/options.conf`

/**
 * The unit, in a sandbox of all that Node bears: V8 writes the memory that it executes, and systemd-notify is a process
 * of its own. See docs/decisions/035-installing.md.
 */
const unitText = (head: string, executable: string): string => `${head} Change ${OPTIONS} instead.
[Unit]
Description=Dealbox CRM
Wants=network-online.target
After=network-online.target

[Service]
Type=notify
NotifyAccess=all
User=${USER}
StateDirectory=dealbox
StateDirectoryMode=0700
ExecStart=${executable} serve --data ${DATA}
# A migration takes as long as it takes. Afterwards the event loop has to turn.
TimeoutStartSec=infinity
TimeoutStopSec=30s
WatchdogSec=2min
Restart=on-failure
RestartSec=10s
# Wrong options stay wrong.
RestartPreventExitStatus=2
UMask=0077
# An image of the memory would have passwords and tokens.
LimitCORE=0

NoNewPrivileges=yes
CapabilityBoundingSet=
AmbientCapabilities=
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
DevicePolicy=closed
PrivateUsers=yes
PrivateIPC=yes
RemoveIPC=yes
KeyringMode=private
ProtectProc=invisible
ProcSubset=pid
ProtectClock=yes
ProtectHostname=yes
ProtectControlGroups=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
LockPersonality=yes
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources
# Threads that let requests go first.
SystemCallFilter=setpriority
SystemCallErrorNumber=EPERM

[Install]
WantedBy=multi-user.target
`

export const UNIT_TEXT = unitText(`${WRITTEN_BY}, which replaces it.`, EXECUTABLE)
export const PACKAGED_UNIT_TEXT = unitText('# Of the package dealbox, which replaces it.', PACKAGED_EXECUTABLE)

/** Whether a package of this machine brings the service. */
export const isPackaged = (): boolean => existsSync(PACKAGED_UNIT)

/** `isGiven` says which of the values are for the drop-in; the others the service finds by itself. */
export type Given = {
  user: string
  options: Options
  values: Record<string, unknown>
  isGiven?: (name: string) => boolean
}

/**
 * The drop-in of the unit for the options that are given; '' if none is. Files are handed over as credentials, so that
 * only root has to be able to read them. Throws a usage Problem.
 */
export function dropInText({ user, options, values, isGiven = () => true }: Given): string {
  const lines: string[] = user === USER ? [] : [`User=${user}`]
  for (const [name, option] of Object.entries(options)) {
    const given = [values[name]].flat().filter((value) => value !== undefined && value !== '')
    if (given.length === 0 || !isGiven(name)) continue
    if (option.secret) throw exposed(name)
    const shown = given.map((value) => handOver(name, option, String(value), lines))
    // systemd reads the two characters as the end of a line, which separates several values.
    lines.push(`Environment="${variableOf(name)}=${shown.join('\\n')}"`)
  }
  const sockets = addressesIn(values).flatMap(({ path }) => path ?? [])
  for (const folder of new Set(sockets.map((socket) => dirname(path('a Unix socket', socket))))) {
    lines.push(...(folder === RUN ? RUN_FOLDER : [`ReadWritePaths=-${escaped(folder)}`]))
  }
  if (addressesIn(values).some(({ port = 0 }) => port > 0 && port < 1024)) lines.push(...PORTS_BELOW_1024)
  return lines.length === 0
    ? ''
    : `# The options of "dealbox install"; see "dealbox serve --help".\n[Service]\n${lines.join('\n')}\n`
}

/** The options that an old drop-in sets and a new one does not, as flags. */
export function missingIn(newText: string, oldText: string): string[] {
  const namesIn = (text: string) => [...text.matchAll(/^Environment="?DEALBOX_(\w+)=/gm)].map(([, name = '']) => name)
  const set = new Set(namesIn(newText))
  return namesIn(oldText)
    .filter((name) => !set.has(name))
    .map((name) => `--${name.toLowerCase().replaceAll('_', '-')}`)
}

/** Adds the lines that a file or folder needs, and returns what the service gets as the value. Throws a usage Problem. */
function handOver(name: string, { placeholder }: Option, value: string, lines: string[]): string {
  if (/[\n\r\0]/.test(value)) throw usage(`${variableOf(name)} must be one line.`)
  const isFile = placeholder === 'FILE' || (placeholder === FILE_OR_RECIPIENT && !value.startsWith('age1'))
  const isFolder = placeholder === 'DIR' || (placeholder === FOLDER_OR_URL && isAbsolute(value))
  // A share may be away when the service starts: what is mounted later can be written to without this.
  if (isFolder) lines.push(`ReadWritePaths=-${escaped(path(variableOf(name), value))}`)
  if (!isFile) return escaped(value)
  lines.push(`LoadCredential=${keyOf(name)}:${escaped(path(variableOf(name), value))}`)
  return `%d/${keyOf(name)}`
}

/** The capability counts for the machine, and not for a user namespace of the service. */
const PORTS_BELOW_1024 = [
  'AmbientCapabilities=CAP_NET_BIND_SERVICE',
  'CapabilityBoundingSet=CAP_NET_BIND_SERVICE',
  'PrivateUsers=no',
]

/** systemd makes it for the service. Members of its group reach the sockets in it, and nothing else. */
const RUN = '/run/dealbox'
const RUN_FOLDER = ['RuntimeDirectory=dealbox', 'RuntimeDirectoryMode=0750']

const addressesIn = ({ apiListen, screensListen }: Given['values']): Listen[] =>
  [apiListen, screensListen].flatMap((text) => parseListen(text as string) ?? [])

const exposed = (name: string): Error =>
  usage(
    `${flagOf(name)} is a secret, and everybody can read the options of a service. Put it into ${DATA}/dealbox.json, or into a file, and add the line LoadCredential=${keyOf(name)}:FILE to ${OPTIONS}.`,
  )

/** As systemd reads it between quotation marks. */
const escaped = (value: string): string => value.replace(/[\\"]/g, '\\$&').replaceAll('%', '%%')

/** systemd knows no folder to start from. */
function path(name: string, value: string): string {
  if (isAbsolute(value) && !/[\s:]/.test(value)) return value
  throw usage(`${name} is "${value}", and a service needs a full path without spaces and colons.`)
}
