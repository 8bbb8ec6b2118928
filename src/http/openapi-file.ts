import { problemsOf } from './openapi-parts.ts'
import type { Schema } from './openapi-schema.ts'
import type { FileRoute } from './route.ts'

const content = { '*/*': { schema: { type: 'string', format: 'binary' } } }
const names = ['ETag', 'Accept-Ranges', 'Content-Disposition']

/** The download of a file, whole or in part. */
export function fileParts(route: FileRoute, headers: (names: string[]) => Schema, unchanged: Schema): Schema {
  return {
    parameters: ['range', 'if-range', 'if-none-match'].map((name) => ({ $ref: `#/components/parameters/${name}` })),
    responses: {
      200: { description: `The bytes of the ${route.name}.`, headers: headers(names), content },
      206: { description: 'The range of its bytes.', headers: headers([...names, 'Content-Range']), content },
      304: unchanged,
      ...problemsOf(route),
    },
  }
}
