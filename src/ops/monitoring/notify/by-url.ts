import { version } from '../../../assets.ts'
import { ownUrlGuard } from '../../../lib/net/own-url.ts'
import { ownProxies } from '../../../lib/net/proxies.ts'
import { poster } from '../../../webhooks/egress/http-post.ts'
import type { Channel, Message } from './notifier.ts'
import { type NamedServer, sentences, titleOf } from './words.ts'

/** ntfy takes a longer text for a file. */
const MAX_BYTES = 3900
const TIMEOUT_MS = 10_000

/** One POST to a URL, in the form that ntfy takes and every other receiver can read: docs/monitoring.md. */
export function byUrl({ url, token }: { url: string; token: string | undefined }, place: () => NamedServer): Channel {
  const post = poster(ownUrlGuard, { proxies: ownProxies() })

  return {
    name: 'url',
    work: 'give notice by URL',
    tell: async (message, signal) => {
      const headers = {
        ...headersOf(message, place()),
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      }
      const body = shortened(sentences(message, place(), 'en', 'UTC'))
      const { error } = await post({ url, headers, body, timeout_ms: TIMEOUT_MS }, signal)
      if (error !== null) throw new Error(error)
      return true
    },
  }
}

function headersOf(message: Message, { name, link }: NamedServer): Record<string, string> {
  const { bad } = message
  return {
    'Content-Type': 'text/plain; charset=utf-8',
    'User-Agent': `Dealbox/${version}`,
    Title: inHeader(titleOf(message, name, 'en')),
    Priority: bad.some(({ status }) => status === 'fail') ? 'urgent' : bad.length > 0 ? 'high' : 'default',
    Tags: bad.length > 0 ? 'warning' : 'white_check_mark',
    ...(link !== undefined && { Click: link }),
  }
}

/** Headers are ASCII; ntfy and mail programs read this form (RFC 2047). */
const inHeader = (text: string): string =>
  /^[\x20-\x7e]*$/.test(text) ? text : `=?UTF-8?B?${Buffer.from(text).toString('base64')}?=`

function shortened(text: string): string {
  if (Buffer.byteLength(text) <= MAX_BYTES) return text
  const start = new TextDecoder().decode(Buffer.from(text).subarray(0, MAX_BYTES), { stream: true })
  return `${start}…`
}
