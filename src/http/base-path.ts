import type { IncomingMessage, ServerResponse } from 'node:http'
import { Problem, usage } from '../lib/problem.ts'
import type { Answer } from './answer.ts'

// The path below which the server is, such as /crm; '' if it has a name of its own. It is taken off every request once, when that
// arrives: nothing else in the server knows of it, but for what goes out and has an address of the server in it.

const FORM = /^(?:\/[A-Za-z0-9._~-]+)+$/

/** Parses --base-path: a final slash does not matter. Throws a usage Problem. */
export function parseBasePath(text = ''): string {
  const path = text.replace(/\/$/, '')
  const isPlain = path === '' || (FORM.test(path) && !path.split('/').some((part) => part === '.' || part === '..'))
  if (isPlain) return path
  throw usage(
    `--base-path ${text} is not a path. Use a form such as /crm: a slash, then letters, digits and any of the characters - . _ ~.`,
  )
}

/** The URL without what is before the server; undefined if the request is for somebody else. */
export function withoutBase(url: string, basePath: string): string | undefined {
  return url.startsWith(`${basePath}/`) ? url.slice(basePath.length) : undefined
}

/** Where the pages are, for a request of exactly the base path: without the slash, relative addresses would lead beside it. */
export function withSlash({ method, url = '' }: IncomingMessage, basePath: string): string | undefined {
  const [path, query] = url.split(/(?=\?)/, 2)
  const isRead = method === 'GET' || method === 'HEAD'
  return isRead && path === basePath ? `${basePath}/${query ?? ''}` : undefined
}

/** RFC 9110, section 15.4.9: to the address with the slash. */
export function redirect(res: ServerResponse, Location: string): void {
  res.writeHead(308, { Location, 'Content-Length': 0, 'Cache-Control': 'no-cache' }).end()
}

export const outsideBase = (basePath: string): Problem =>
  new Problem(
    404,
    'outside_base_path',
    `This server is below ${basePath}/ and has nothing at this path. If a proxy takes ${basePath} off, let it pass the path on as it is.`,
  )

/** Headers whose values have a path of this server; whoever makes them leaves the base path out. */
export function belowBase(answer: Answer, basePath: string): Answer {
  if (basePath === '') return answer
  const headers = answer.headers.map((value, at) => {
    const name = at % 2 === 1 ? answer.headers[at - 1] : undefined
    if (name === 'Location') return basePath + value
    return name === 'Link' ? value.replace('<', `<${basePath}`) : value
  })
  return { ...answer, headers }
}
