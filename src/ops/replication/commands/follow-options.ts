import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { flagOf, type Options, type Values } from '../../../command/config/options.ts'
import { parseServer } from '../../../command/public-url.ts'
import { usage } from '../../../lib/problem.ts'

// Options of a server that only reads a copy.

export const followOptions = {
  follow: {
    type: 'string',
    placeholder: 'DIR|URL',
    help: 'only read: serve a copy that Litestream keeps in the data folder, from this replica: a folder or a URL of Litestream such as s3://BUCKET/PATH',
  },
  followInterval: {
    type: 'string',
    placeholder: 'TIME',
    default: '1s',
    help: 'how often Litestream looks for something new, from 100ms to 60s; each time is some requests to the storage',
  },
  litestream: {
    type: 'string',
    placeholder: 'PROGRAM',
    default: 'litestream',
    help: 'the program Litestream 0.5, if it is not in the PATH',
  },
  primary: {
    type: 'string',
    placeholder: 'URL',
    help: 'where the API of the primary is: writes to the API of this server are passed on to it',
  },
  primaryScreens: {
    type: 'string',
    placeholder: 'URL',
    help: 'where the screens of the primary are: sign-in and writes of the browser app are passed on to them',
  },
} as const satisfies Options

export type FollowOptions = {
  [Name in keyof typeof followOptions]?: Values<typeof followOptions>[Name] | undefined
} & { replicated?: boolean | undefined }

/** How a copy is followed, and where writes go. */
export type Followed = {
  replica: string
  everyMs: number
  program: string
  primary: string | undefined
  primaryScreens: string | undefined
}

/** Undefined for a primary. Throws a usage Problem. */
export function readFollow(options: FollowOptions): Followed | undefined {
  const { follow, litestream: program = followOptions.litestream.default, primary, primaryScreens } = options
  if (follow === undefined) {
    for (const name of ['primary', 'primaryScreens'] as const)
      if (options[name] !== undefined) throw usage(`${flagOf(name)} is for readers, and needs ${flagOf('follow')}.`)
    return undefined
  }
  if (options.replicated) throw usage(`${flagOf('replicated')} is for primaries, and ${flagOf('follow')} for readers.`)
  return {
    replica: readReplica(follow),
    everyMs: readInterval(options.followInterval ?? followOptions.followInterval.default),
    program,
    primary: primary === undefined ? undefined : parseServer(flagOf('primary'), primary),
    primaryScreens: primaryScreens === undefined ? undefined : parseServer(flagOf('primaryScreens'), primaryScreens),
  }
}

function readReplica(text: string): string {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) {
    if (!/^https?:/i.test(text)) return text
    throw usage(
      `${flagOf('follow')} ${text} is not a URL that Litestream takes. Use a folder, or a form such as s3://BUCKET/PATH?endpoint=https://s3.example.com; keys are in the environment, as AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`,
    )
  }
  const folder = resolve(text)
  if (existsSync(folder) && statSync(folder).isDirectory()) return pathToFileURL(folder).href
  throw usage(`${flagOf('follow')} ${text} is not a folder.`)
}

function readInterval(text: string): number {
  const [, count, unit] = /^([1-9]\d{0,4})(ms|s)$/.exec(text) ?? []
  const ms = Number(count) * (unit === 's' ? 1000 : 1)
  if (ms >= 100 && ms <= 60_000) return ms
  throw usage(`${flagOf('followInterval')} ${text} is not a time from 100ms to 60s, such as 500ms or 1s.`)
}
