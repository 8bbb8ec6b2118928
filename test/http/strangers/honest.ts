import { Agent, request } from 'node:http'
import { request as requestSecure, Agent as SecureAgent } from 'node:https'
import { EMAIL, PASSWORD, type Served } from './server.ts'

/** Only so that a test ends: how long they wait is measured by `npm run bench -- --only attack`. */
const TIMEOUT_MS = 60_000
/** Behind a proxy that is trusted, this is how they differ from the strangers. */
const FROM = '203.0.113.7'

type Asked = { url: string; method?: string; headers?: Record<string, string>; body?: string; agent: Agent | false }
type Got = { outcome: string; cookie: string | undefined }

/**
 * People and programs who do their work: they read and write by the API, open the browser app, sign in and look at their
 * data, over connections that they keep and over new ones. Returns how often there was each outcome of each request.
 */
export async function work({ api, screens, token }: Served, rounds: number, people: number) {
  const outcomes: Record<string, number> = {}
  const isTls = api.startsWith('https')
  const kept: Agent = isTls
    ? new SecureAgent({ keepAlive: true, rejectUnauthorized: false })
    : new Agent({ keepAlive: true })

  async function person(who: number): Promise<void> {
    let cookie = ''
    for (let round = 0; round < rounds; round++) {
      const agent = round % 2 === 0 ? kept : false
      const say = async (name: string, asked: Omit<Asked, 'agent'>): Promise<Got> => {
        const got = await ask({ ...asked, agent })
        const key = `${name} ${got.outcome}`
        outcomes[key] = (outcomes[key] ?? 0) + 1
        return got
      }
      const bearer = { authorization: `Bearer ${token}` }
      await say('GET deals', { url: `${api}/api/v1/deals`, headers: bearer })
      const body = JSON.stringify({ name: `Tag ${who} ${round}` })
      await say('POST tag', { url: `${api}/api/v1/tags`, method: 'POST', headers: bearer, body })
      await say('GET page', { url: `${screens}/` })
      if (round === 0) {
        const login = JSON.stringify({ email: EMAIL, password: PASSWORD })
        const signedIn = { url: `${screens}/app/login`, method: 'POST', headers: { origin: screens }, body: login }
        cookie = (await say('sign in', signedIn)).cookie ?? ''
      }
      await say('GET boot', { url: `${screens}/app/boot`, headers: { cookie } })
    }
  }

  await Promise.all(Array.from({ length: people }, (_, who) => person(who)))
  kept.destroy()
  return outcomes
}

function ask(asked: Asked): Promise<Got> {
  const { url, method = 'GET', headers = {}, body, agent } = asked
  return new Promise((resolve) => {
    const all = {
      'x-forwarded-for': FROM,
      ...headers,
      ...(body ? { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) } : {}),
    }
    const send = url.startsWith('https') ? requestSecure : request
    const options = { method, headers: all, agent, rejectUnauthorized: false, timeout: TIMEOUT_MS }
    const req = send(url, options, (res) => {
      const cookie = res.headers['set-cookie']
        ?.find((each) => /^(__Host-)?dealbox-[0-9a-f]{10}-\d+=/.test(each))
        ?.split(';')[0]
      res.resume()
      res.once('end', () => resolve({ outcome: String(res.statusCode), cookie }))
      res.once('error', () => resolve({ outcome: 'cut off', cookie }))
    })
    req.once('timeout', () => req.destroy(new Error('timeout')))
    req.once('error', (error: NodeJS.ErrnoException) => {
      // A server may close an idle connection at any time, also just when the next request is sent: clients send it again.
      if (req.reusedSocket && error.code === 'ECONNRESET') resolve(ask(asked))
      else resolve({ outcome: error.code ?? error.message, cookie: undefined })
    })
    req.end(body)
  })
}
