import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** What people do first: their functions are compiled as well. */
const REQUESTS = [
  ['GET', '/api/v1/deals'],
  ['POST', '/api/v1/deals', { title: 'First', amount: 1.5 }],
  ['GET', '/api/v1/contacts?q=a'],
  ['POST', '/api/v1/contacts', { last_name: 'First', emails: [{ email: 'a@example.com' }] }],
]

/**
 * Starts the executable of build-compiled.cjs, sends it some requests, and returns the functions that it has compiled, for
 * `cachedData` of a vm.Script.
 */
export async function compiledBy(executable, folder) {
  const data = join(folder, 'data')
  const env = { ...process.env, COMPILED_TO: join(folder, 'compiled') }
  const run = (...argv) => JSON.parse(execFileSync(executable, [...argv, '--data', data, '--json'], { env }))
  run('init', '--org', 'Build', '--email', 'build@example.com')
  const { token } = run('token', 'create', '--email', 'build@example.com', '--scope', 'all')
  const listen = ['--api-listen', '127.0.0.1:0', '--screens-listen', '127.0.0.1:0']
  const server = spawn(executable, ['serve', '--data', data, ...listen, '--json'], { env })
  const { api, screens } = JSON.parse(await firstLine(server.stdout))
  for (const [method, path, body] of REQUESTS) {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const response = await fetch(api + path, { method, headers, body: JSON.stringify(body) })
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`)
    await response.text()
  }
  await (await fetch(screens)).text()
  const ended = once(server, 'exit')
  server.stdin.end()
  const [code] = await ended
  if (code !== 0) throw new Error(`the start for the build ended with ${code}`)
  return readFileSync(env.COMPILED_TO)
}

async function firstLine(stream) {
  const [line] = await once(createInterface(stream), 'line')
  return line
}
