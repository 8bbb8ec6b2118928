import pino from 'pino'
import { serveFolder } from '../../src/cli/serve/serve-folder.ts'
import type { ServeOptions } from '../../src/cli/serve/serve-options.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into JSON of every shape
type Body = any

export type Served = Awaited<ReturnType<typeof serve>>

/** Starts the complete server on a data folder, with its workers, on free ports. */
export async function serve(dataDir: string, token: string, more: Partial<ServeOptions> = {}) {
  const lines: Body[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const running = await serveFolder(
    {
      data: dataDir,
      apiListen: '127.0.0.1:0',
      screensListen: '127.0.0.1:0',
      rateLimit: 'off',
      corsOrigin: '',
      webhookAllow: '',
      eventRetention: '30d',
      ...more,
    },
    log,
  )

  async function call(method: string, path: string, body?: unknown): Promise<{ status: number; body: Body }> {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
    const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) }
    return answerOf(await fetch(`${running.api}/api/v1${path}`, init))
  }

  return {
    call,
    /** Returns status and problem code; null without a problem. */
    tryTo: async (method: string, path: string, body?: unknown): Promise<[number, string | null]> => {
      const answer = await call(method, path, body)
      return [answer.status, answer.body?.code ?? null]
    },
    /** The addresses of its listeners. */
    api: running.api,
    screens: running.screens as string,
    /** Sends a form with files. */
    form: async (path: string, body: FormData) =>
      answerOf(
        await fetch(`${running.api}/api/v1${path}`, {
          method: 'POST',
          headers: { Authorization: `Bearer ${token}` },
          body,
        }),
      ),
    screen: async (path: string) => answerOf(await fetch(`${running.screens}${path}`)),
    /** Its log lines of the levels warn and error. */
    lines,
    stop: running.stop,
  }
}

async function answerOf(response: Response): Promise<{ status: number; body: Body }> {
  const text = await response.text()
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
}
