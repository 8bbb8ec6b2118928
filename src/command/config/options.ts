import { usage } from '../../lib/problem.ts'

// What options a command may declare, and what they are called. src/command/config reads their values.

/**
 * An option of a command, by its name in camelCase: `apiListen` is --api-listen, DEALBOX_API_LISTEN, and "api-listen" in
 * a configuration file. Options of several commands with the same name have the same type.
 */
export type Option = {
  /** `strings` may be given more than once; in the environment, one per line. */
  type: 'string' | 'strings' | 'boolean'
  help: string
  /** The placeholder for the value in the help, such as EMAIL. */
  placeholder?: string
  default?: string
  required?: true
  /** Its value is never printed, and may also be in a file that the environment or systemd names: see environment.ts. */
  secret?: true
  /** Only on the command line: it is about one start, and must not hold for the next one. */
  once?: true
}
export type Options = Record<string, Option>

export type Values<O extends Options> = {
  readonly [Name in keyof O]: O[Name] extends { type: 'boolean' }
    ? boolean
    : O[Name] extends { type: 'strings' }
      ? readonly string[]
      : O[Name] extends { default: string } | { required: true }
        ? string
        : string | undefined
}

/** The positional arguments of a command, by name, each with its help; all are required. */
export type Arguments = Record<string, string>

export type Value = string | boolean | readonly string[]

/** Where the value of an option comes from, and there the flag, the variable or the path of the file. */
export type Found = { value: Value | undefined; from: Origin; where: string | null }
export type Origin = 'flag' | 'environment' | 'credential' | 'file' | 'default'

/** The name in a configuration file, and of a credential. */
export const keyOf = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
export const flagOf = (name: string): string => `--${keyOf(name)}`
/** Shells set variables of letters, digits and _ only. */
export const variableOf = (name: string): string =>
  `DEALBOX_${name
    .replace(/[A-Z]/g, (letter) => `_${letter}`)
    .replace(/\W/g, '_')
    .toUpperCase()}`

/** The option in the help: `--email EMAIL`. */
export function optionUsage(name: string, { type, placeholder }: Option): string {
  return type === 'boolean' ? flagOf(name) : `${flagOf(name)} ${placeholder ?? name.toUpperCase()}`
}

/** Where a listener listens: at an address of the network, or on a Unix socket. */
export type Listen = { host: string; port: number; path?: undefined } | { path: string; port?: undefined }

/** What a system takes as the path of a socket: 104 bytes on macOS, 108 on Linux. */
const MAX_SOCKET_BYTES = 103

/** Parses `127.0.0.1:8080`, `[::1]:8080` or `unix:/run/dealbox/api.sock`; null means `off`. Throws a usage Problem. */
export function parseListen(text: string): Listen | null {
  if (text === 'off') return null
  if (text.startsWith('unix:')) return { path: socketPath(text.slice('unix:'.length)) }
  const [, ipv6, other, digits] = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:[\]]+)):(\d{1,5})$/.exec(text) ?? []
  const host = ipv6 ?? other
  if (host === undefined || Number(digits) > 65_535) {
    throw usage(
      `"${text}" is not a valid address to listen on. Use a form such as 127.0.0.1:8080, [::1]:8080, unix:/run/dealbox/api.sock or off.`,
    )
  }
  return { host, port: Number(digits) }
}

function socketPath(path: string): string {
  const given = `"unix:${path}"`
  if (process.platform === 'win32') throw usage(`${given} is a Unix socket, which Dealbox does not use on Windows.`)
  if (path === '' || path.endsWith('/')) throw usage(`${given} needs the path of a socket after "unix:".`)
  if (path.startsWith('@')) throw usage(`${given} is an abstract socket, which every account of the machine can reach.`)
  if (Buffer.byteLength(path) > MAX_SOCKET_BYTES)
    throw usage(`${given} is too long for a Unix socket: its path can have ${MAX_SOCKET_BYTES} bytes.`)
  return path
}
