import { type Json, readJson } from '../../lib/json.ts'
import { othersMayRead, othersMayWrite, readSmallFile } from '../../lib/machine/small-file.ts'
import { nearest } from '../../lib/nearest.ts'
import { Problem, usage } from '../../lib/problem.ts'
import { keyOf, type Option, type Options, type Value } from './options.ts'
import { renamedKey } from './renamed.ts'

/** The configuration file in the data folder. */
export const CONFIG_FILE = 'dealbox.json'

/** The values of a configuration file, by the names of their options. */
export type ConfigFile = { path: string; values: ReadonlyMap<string, Value> }

/**
 * Reads a configuration file: a JSON object with the options of all commands by their keys, such as "api-listen".
 * `inFolder` is the one in the data folder, which may be missing. Throws a usage Problem that names the file and the key.
 */
export function readConfigFile(path: string, options: Options, inFolder: boolean): ConfigFile | undefined {
  const file = readSmallFile(path, 'The configuration file', { optional: inFolder })
  if (!file) return undefined
  if (othersMayWrite(file.stats))
    throw usage(`${path} is not used, because other accounts may change it. Run: chmod go-w ${path}`)
  const byKey = new Map(Object.entries(options).map(([name, option]) => [keyOf(name), { name, option }]))
  const values = new Map<string, Value>()
  for (const [key, given] of Object.entries(parse(path, file.bytes))) {
    const known = byKey.get(key)
    if (!known) throw renamedKey(key, options, path) ?? unknownKey(path, key, byKey)
    if (known.name === 'config') throw usage(`${path} cannot have "config": it is a configuration file itself.`)
    if (known.name === 'data' && inFolder)
      throw usage(`${path} cannot have "data": it is read from the data folder. Use --data, DEALBOX_DATA or --config.`)
    if (known.option.secret && othersMayRead(file.stats))
      throw usage(`${path} has the secret "${key}", and other accounts may read it. Run: chmod go-r ${path}`)
    values.set(known.name, readValue(path, key, known.option, given))
  }
  return { path, values }
}

/** Some editors put it in front of a text (BOM). */
const MARK = Buffer.from([0xef, 0xbb, 0xbf])

function unknownKey(path: string, key: string, known: ReadonlyMap<string, unknown>): Error {
  const others = [...known.keys()].filter((each) => each !== 'config')
  return usage(`${path} has the unknown key "${key}". The nearest one is "${nearest(key, others)}".`)
}

function parse(path: string, bytes: Buffer): Record<string, Json> {
  let document: Json
  try {
    document = readJson(bytes.subarray(0, 3).equals(MARK) ? bytes.subarray(MARK.length) : bytes)
  } catch (error) {
    throw error instanceof Problem ? usage(error.message.replace(/^The body/, path)) : error
  }
  if (document !== null && typeof document === 'object' && !Array.isArray(document)) return document
  throw usage(`${path} must contain a JSON object, such as {"api-listen": "127.0.0.1:8080"}.`)
}

const KINDS = {
  boolean: 'true or false',
  string: 'a text or a number',
  strings: 'a list of texts',
}

/** A number stands for its text, so that `"min-free": 256` needs no quotes. */
function readValue(path: string, key: string, { type }: Option, given: Json): Value {
  if (type === 'boolean' && typeof given === 'boolean') return given
  if (type === 'string' && typeof given === 'number' && Number.isFinite(given)) return String(given)
  if (type === 'string' && isText(given)) return given
  if (type === 'strings' && Array.isArray(given) && given.every(isText)) return given
  if (given === '') throw usage(`"${key}" in ${path} must not be empty. Leave the key out to get the default.`)
  throw usage(`"${key}" in ${path} must be ${KINDS[type]}.`)
}

const isText = (given: Json): given is string => typeof given === 'string' && given !== ''
