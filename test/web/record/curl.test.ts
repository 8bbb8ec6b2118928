import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { patchText, readText } from '../../../src/web/record/curl-text.ts'

const asked = { api: 'http://127.0.0.1:8080', path: '/deals/01a1' }

/** What a shell gives to curl. */
const argumentsOf = (text: string): string[] => {
  const shown = text.replace(/^curl /, 'printf "%s\\n" ')
  return execFileSync('sh', ['-c', shown], { env: { TOKEN: 'dbx_1' }, encoding: 'utf8' })
    .trimEnd()
    .split('\n')
}

test('requests go to the address of the API, with the token of the shell', () => {
  assert.deepEqual(argumentsOf(readText(asked)), [
    'http://127.0.0.1:8080/api/v1/deals/01a1',
    '-H',
    'Authorization: Bearer dbx_1',
  ])
})

test('values come to the API as they are, whatever a shell would make of them', () => {
  const patch = { title: `It's "$TOKEN" \`id\`` }
  assert.deepEqual(argumentsOf(patchText(asked, patch)), [
    ...['-X', 'PATCH', 'http://127.0.0.1:8080/api/v1/deals/01a1', '-H', 'Authorization: Bearer dbx_1'],
    ...['-H', 'Content-Type: application/json', '-d', JSON.stringify(patch)],
  ])
})
