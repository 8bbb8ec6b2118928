import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { goTool } from './go-tools.ts'
import { until } from './until.ts'

export const KEYS = { id: 'AKDEALBOXTEST', secret: 'a-secret-of-the-tests' }
export const BUCKET = 'backups'

export type Gateway = Awaited<ReturnType<typeof startVersitygw>>

/** Starts a real S3 server with one bucket, which keeps the objects as files of `bucket`. */
export async function startVersitygw() {
  const folder = mkdtempSync(join(tmpdir(), 'dealbox-s3-'))
  const bucket = join(folder, 'data', BUCKET)
  const sidecar = join(folder, 'attributes') // not every file system of a temporary folder has attributes of its own
  mkdirSync(bucket, { recursive: true })
  mkdirSync(sidecar)
  const port = await freePort()
  const program = join(goTool('github.com/versity/versitygw/cmd/versitygw'), 'versitygw')
  const argv = ['--port', `127.0.0.1:${port}`, '--access', KEYS.id, '--secret', KEYS.secret, '--quiet']
  const child = spawn(program, [...argv, 'posix', '--sidecar', sidecar, join(folder, 'data')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (chunk) => {
    said += chunk
  })
  await until(() => child.exitCode !== null || accepts(port))
  if (child.exitCode !== null) throw new Error(`versitygw does not start: ${said}`)

  async function stop(): Promise<void> {
    const ended = child.exitCode === null ? once(child, 'exit') : undefined
    child.kill('SIGKILL')
    await ended
    rmSync(folder, { recursive: true, force: true })
  }

  return { port, bucket, stop }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((closed) => server.close(closed))
  return port
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true))
    socket.on('connect', () => socket.destroy()).on('error', () => resolve(false))
  })
}
