import { readFileSync, realpathSync } from 'node:fs'
import { isTimezone } from '../time.ts'

/** `doubt` says that the machine names a zone that nobody knows: then it is UTC. */
export type MachineZone = { zone: string; doubt?: string }

type Machine = {
  env: { TZ?: string | undefined }
  /** What the runtime found out; not always a zone. */
  own: string | undefined
  /** Where /etc/localtime leads to, or the name in /etc/timezone. */
  system: () => string | undefined
}

/**
 * The zone of this machine. TZ is for the C library, which takes more than a name: a path, POSIX rules such as CST-8, a colon
 * before all of that, and quotation marks come in by env files. The runtime knows names only.
 */
export function machineZone({ env: { TZ }, own, system }: Machine = thisMachine()): MachineZone {
  if (TZ === undefined) {
    const zone = known(own) ?? known(system())
    return zone === undefined ? { zone: 'UTC', doubt: UNKNOWN } : { zone }
  }
  const text = TZ.trim().replace(/^(["'])(.*)\1$/, '$2')
  const name = text.replace(/^:/, '')
  if (name === '') return { zone: 'UTC' }
  const isSystem = name === '/etc/localtime' || name === 'localtime'
  const zone = isSystem ? known(system()) : (known(name) ?? fixedZone(name))
  return zone === undefined ? { zone: 'UTC', doubt: unknown(TZ) } : { zone }
}

const thisMachine = (): Machine => ({
  env: process.env,
  own: Intl.DateTimeFormat().resolvedOptions().timeZone,
  system: systemZone,
})

function systemZone(): string | undefined {
  for (const read of [() => realpathSync('/etc/localtime'), () => readFileSync('/etc/timezone', 'utf8').trim()])
    try {
      const found = read()
      if (known(found) !== undefined) return found
    } catch {
      // A container may have neither.
    }
  return undefined
}

/** Also of a path, and in any case: "/usr/share/zoneinfo/Europe/berlin" is Europe/Berlin. */
function known(text: string | undefined): string | undefined {
  const name = text?.replace(/^.*\/zoneinfo\//, '').replace(/^(?:posix|right)\//, '')
  if (name === undefined || !isTimezone(name)) return undefined
  const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions()
  return isTimezone(timeZone) ? timeZone : name
}

/** A zone of whole hours without summer time as POSIX writes it, where CST-8 is eight hours ahead of UTC; so does Etc/GMT-8. */
function fixedZone(text: string): string | undefined {
  const [, sign = '', hours] = /^(?:[A-Za-z]{3,}|<[-+A-Za-z0-9]{3,}>)([+-]?)(\d{1,2})(?::?00){0,2}$/.exec(text) ?? []
  if (hours === undefined) return undefined
  const name = Number(hours) === 0 ? 'UTC' : `Etc/GMT${sign || '+'}${Number(hours)}`
  return isTimezone(name) ? name : undefined
}

const HOW = 'Set TZ to a name such as Europe/Berlin; nightly backups are made by it.'
const UNKNOWN = `The time zone of this machine is not known, and counts as UTC. ${HOW}`
const unknown = (TZ: string): string =>
  `TZ is ${JSON.stringify(TZ.slice(0, 80))}, which is no time zone that is known, and counts as UTC. ${HOW}`
