import type { FileRoute, WriteRoute } from '../route.ts'
import { problemsOf } from './openapi-parts.ts'
import type { Schema } from './openapi-schema.ts'

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

/**
 * The form that a write accepts besides JSON, if any: its JSON part, and files under any name. It is no component:
 * openapi-generator makes arguments of the parts of a form, and then misses its type.
 */
export function formContent({ form }: WriteRoute, schema: Schema): Schema {
  if (!form) return {}
  const json = form.read ? { type: 'object', description: 'What the file does not say.' } : schema
  // The format is that of OpenAPI 3.0, which generators know.
  const file = { type: 'string', format: 'binary', contentMediaType: 'application/octet-stream' }
  const files = form.maxFiles === 1 ? file : { type: 'array', maxItems: form.maxFiles, items: file }
  return {
    'multipart/form-data': {
      schema: {
        type: 'object',
        properties: { [form.part]: json, [form.files]: files },
        ...(form.read ? {} : { required: [form.part] }),
      },
      encoding: { [form.part]: { contentType: 'application/json' } },
    },
  }
}
