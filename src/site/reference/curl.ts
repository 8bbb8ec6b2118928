import { type Group, type OpenApi, type Operation, resolve, type Schema } from './document.ts'

/**
 * Renders the request as a command for a POSIX shell in which $TOKEN is set, and a variable such as $DEAL_ID wherever
 * the path or the body needs the id of a record.
 */
export function curl(document: OpenApi, group: Group, operation: Operation, apiUrl: string): string {
  const { method, path, parameters, body } = operation
  const verb = method.toUpperCase()
  const [media] = Object.entries(body ?? {})
  const query = parameters.some(({ name }) => name === 'limit') ? '?limit=10' : ''
  const url = `${apiUrl}${path.replace(/\{(\w+)\}/g, (_, name: string) => `$${variable(group, name)}`)}${query}`
  const isImplied = verb === 'GET' || (verb === 'POST' && media)
  const lines = [
    `curl ${isImplied ? '' : `-X ${verb} `}${/[$?&]/.test(url) ? `"${url}"` : url}`,
    '-H "Authorization: Bearer $TOKEN"',
  ]
  if (media) {
    const [type, { schema, example }] = media
    lines.push(`-H "Content-Type: ${type}"`, `-d '${bodyText(resolve(document, schema), example)}'`)
  }
  return lines.join(' \\\n  ')
}

const snake = (name: string): string => name.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase()
const variable = ({ objects, name }: Group, parameter: string): string =>
  snake(parameter === 'id' ? `${objects[0] ?? name}_id` : parameter)

/** Renders the example of a body, with variables for ids. */
function bodyText({ properties }: Schema, example: unknown): string {
  const members = Object.entries((example ?? {}) as Record<string, unknown>).map(([name, value]) => {
    const { format, items } = properties?.[name] ?? {}
    const id = `"'$${snake(name.replace(/s$/, ''))}'"`
    const text = format === 'uuid' ? id : items?.format === 'uuid' ? `[${id}]` : quoted(JSON.stringify(value))
    return `"${quoted(name)}": ${text}`
  })
  return members.length > 1 ? `{\n    ${members.join(',\n    ')}\n  }` : `{ ${members.join()} }`
}

const quoted = (text: string): string => text.replaceAll("'", "'\\''")
