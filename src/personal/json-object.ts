import * as v from 'valibot'

export type JsonObject = Record<string, unknown>

const isObject = (input: unknown): input is JsonObject =>
  typeof input === 'object' && input !== null && !Array.isArray(input)

/** An object whose members the server does not read, of at most this many bytes as JSON. */
export const jsonObject = (bytes: number, description: string) =>
  v.pipe(
    v.custom<JsonObject>(isObject, 'invalid_type|must be an object'),
    v.check(
      (given) => Buffer.byteLength(JSON.stringify(given)) <= bytes,
      `too_long|must be at most ${bytes} bytes long, as JSON`,
    ),
    v.metadata({ type: 'object', description }),
  )
