import { Problem } from '../../lib/problem.ts'

// The rest of these bodies is not worth reading, so their connections end.
const close = { Connection: 'close' }

export const tooLarge = (maxBytes: number) =>
  new Problem(413, 'body_too_large', `The body is larger than ${maxBytes} bytes. Send a smaller one.`, {
    headers: close,
  })

export const tooSlow = () =>
  new Problem(408, 'request_timeout', 'The body is sent too slowly. Send at least 8 KiB per second.', {
    headers: close,
  })

export const tinyChunks = () =>
  new Problem(400, 'tiny_chunks', 'The body is sent in too many tiny chunks. Send larger ones, or a Content-Length.', {
    headers: close,
  })

export const overloaded = (what: 'memory' | 'disk space') =>
  new Problem(
    503,
    'overloaded',
    `The server is processing as many request bodies as it has ${what} for. Try again in a moment.`,
    {
      headers: { ...close, 'Retry-After': '5' },
    },
  )
