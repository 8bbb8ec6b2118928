/** What is asked of the API, such as http://127.0.0.1:8080, for a record: `path` is /deals/ID. */
type Asked = { api: string; path: string }

/** The request that reads the record. The token is that of whoever runs it. */
export const readText = ({ api, path }: Asked): string => `curl ${quoted(`${api}${PREFIX}${path}`)} \\\n  -H ${TOKEN}`

/** The request that changes the record. */
export const patchText = ({ api, path }: Asked, patch: unknown): string =>
  [
    `curl -X PATCH ${quoted(`${api}${PREFIX}${path}`)}`,
    `-H ${TOKEN}`,
    `-H 'Content-Type: application/json'`,
    `-d ${quoted(JSON.stringify(patch))}`,
  ].join(' \\\n  ')

const PREFIX = '/api/v1'

// In double quotes, so that the shell puts the token in.
const TOKEN = '"Authorization: Bearer $TOKEN"'

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
