import { get as getPlain, type RequestOptions } from 'node:http'
import { command, json } from '../../command/command.ts'
import { type Listen, parseListen } from '../../command/config/options.ts'
import { parseBasePath } from '../../http/base-path.ts'
import { basePath, tlsCert } from '../../http/listener/front.ts'
import { Problem, usage } from '../../lib/problem.ts'

const PATIENCE_MS = 5000
/** More than any answer has. */
const MOST_CHARACTERS = 65_536

type Answer = { status: number; text: string }

export const healthcheck = command({
  name: 'healthcheck',
  summary: 'Check whether the server on this machine is ready: exit code 0 if it is, otherwise 1',
  options: {
    screensListen: {
      type: 'string',
      placeholder: 'HOST:PORT',
      default: '127.0.0.1:8081',
      help: 'address of the screens listener',
    },
    basePath: { ...basePath, help: 'path below which the server is, such as /crm' },
    tlsCert: { ...tlsCert, help: 'certificate of the server, if it has one' },
    json,
  },
  run: async ({ options }) => {
    const address = parseListen(options.screensListen)
    if (!address) throw usage('--screens-listen is off, so there is no server to check.')
    const isSecure = options.tlsCert !== undefined && address.path === undefined
    const answer = await askReady(isSecure ? secureGet() : getPlain, {
      ...reachable(address),
      path: `${parseBasePath(options.basePath)}/readyz`,
    })
    if (answer?.status === 200) return { json: { ready: true }, text: 'Ready.' }
    const at = options.screensListen
    throw new Problem(
      503,
      'not_ready',
      answer === undefined
        ? `No server responds at ${at}${isSecure ? ' by TLS' : ''}.`
        : [`The server at ${at} is not ready: it responded with ${answer.status}.`, ...detailOf(answer)].join(' '),
    )
  },
})

/** Returns an address to connect to: for a server on all addresses, the loopback address. */
function reachable({ path, ...address }: Listen): RequestOptions {
  if (path !== undefined) return { socketPath: path }
  const { host, port } = address as { host: string; port: number }
  return { host: host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host, port }
}

/** The certificate is for another name than the address that is asked here, and may be self-signed. */
function secureGet(): typeof getPlain {
  const { get } = process.getBuiltinModule('node:https')
  return ((options: RequestOptions, answer: () => void) =>
    get({ ...options, rejectUnauthorized: false }, answer)) as typeof getPlain
}

function askReady(get: typeof getPlain, at: RequestOptions): Promise<Answer | undefined> {
  return new Promise((resolve) => {
    const request = get({ ...at, agent: false, timeout: PATIENCE_MS }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (piece) => {
        text = (text + piece).slice(0, MOST_CHARACTERS)
      })
      response.on('close', () => resolve({ status: response.statusCode as number, text }))
    })
    request.on('timeout', () => request.destroy())
    request.on('error', () => resolve(undefined))
  })
}

/** What the server says itself, to programs on its machine. */
function detailOf({ text }: Answer): string[] {
  try {
    const { detail } = JSON.parse(text)
    return typeof detail === 'string' ? [detail] : []
  } catch {
    return [] // it is another server
  }
}
