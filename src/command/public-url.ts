import { usage } from '../lib/problem.ts'

export const apiListen = {
  type: 'string',
  placeholder: 'HOST:PORT',
  default: '127.0.0.1:8080',
  help: 'address of the API; port 0 picks a free port, and unix:PATH is a Unix socket',
} as const

/** The option that says where clients reach the API, such as behind a proxy. */
export const publicUrl = {
  type: 'string',
  placeholder: 'URL',
  help: 'where clients reach the API, such as https://crm.example.com, for the OpenAPI document and the examples',
} as const

/**
 * Below a base path, the address ends with it. Without one, its path is that of a proxy which takes the path off. Throws a usage
 * Problem.
 */
export function parsePublicUrl(text: string, basePath = ''): string {
  const url = parseServer('--public-url', text)
  if (new URL(url).pathname.endsWith(basePath)) return url
  throw usage(
    `--public-url ${text} contradicts --base-path ${basePath}: let it end with ${basePath}, or leave one of both out.`,
  )
}

/** Returns the URL without a final slash. Throws a usage Problem. */
export function parseServer(flag: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isPlain = url && /^https?:$/.test(url.protocol) && !/[?#@]/.test(text) && !/\/api\/v1\/?$/.test(url.pathname)
  if (isPlain) return url.href.replace(/\/$/, '')
  throw usage(
    `${flag} ${text} is not the address of a server. Use a form such as https://crm.example.com, without /api/v1.`,
  )
}
