import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { until } from './until.ts'

// The proxies of docs/install.md, in plain HTTP, in front of any server.

const deploy = join(import.meta.dirname, '../../deploy')

export type StartedProxy = { url: string; stop: () => Promise<unknown> }

/** The version of a program, or undefined if it is not there. */
export function versionOf(program: string, ...args: string[]): string | undefined {
  try {
    return execFileSync(program, args, { stdio: ['ignore', 'pipe', 'pipe'] }).toString()
  } catch {
    return undefined
  }
}

export async function freePort(): Promise<number> {
  const held = createServer().listen(0, '127.0.0.1')
  await once(held, 'listening')
  const { port } = held.address() as AddressInfo
  await new Promise((resolve) => held.close(resolve))
  return port
}

/** The text of the main file of nginx around these sites; everything that it writes is in `home`. */
export function nginxMain(home: string, sites: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${home}/${name};`,
  )
  return `daemon off; pid ${home}/pid; error_log ${home}/errors;\nevents {}\nhttp { access_log off; ${temporary.join(' ')}\n${sites}}\n`
}

/** With the settings of deploy/nginx.conf, by any name. */
export async function startNginx(home: string, upstream: string): Promise<StartedProxy> {
  const port = await freePort()
  const [settings = ''] = readFileSync(join(deploy, 'nginx.conf'), 'utf8').split('server {')
  const site = `server { listen 127.0.0.1:${port}; location / { proxy_pass ${upstream}; } }\n`
  mkdirSync(home, { recursive: true })
  writeFileSync(join(home, 'nginx.conf'), nginxMain(home, settings.replace(/ssl_.*\n/g, '') + site))
  return started(spawn('nginx', ['-p', home, '-c', join(home, 'nginx.conf')], { stdio: 'ignore' }), port)
}

/** With the line of deploy/Caddyfile, by any name. */
export async function startCaddy(home: string, upstream: string): Promise<StartedProxy> {
  const port = await freePort()
  const [, line] = /^api[^{]*\{\n(.*)\n\}/m.exec(readFileSync(join(deploy, 'Caddyfile'), 'utf8')) as string[]
  const site = (line as string).replace('127.0.0.1:8080', new URL(upstream).host)
  mkdirSync(home, { recursive: true })
  const file = join(home, 'Caddyfile')
  writeFileSync(file, `{\n\tadmin off\n}\nhttp://:${port} {\n\tbind 127.0.0.1\n${site}\n}\n`)
  const env = { PATH: process.env.PATH, HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home }
  return started(spawn('caddy', ['run', '--config', file, '--adapter', 'caddyfile'], { stdio: 'ignore', env }), port)
}

/** A proxy, and whether it is installed. */
export const PROXIES = [
  { name: 'nginx', version: versionOf('nginx', '-v'), start: startNginx },
  { name: 'Caddy', version: versionOf('caddy', 'version'), start: startCaddy },
] as const

async function started(proxy: ChildProcess, port: number): Promise<StartedProxy> {
  const ended = once(proxy, 'exit')
  const url = `http://127.0.0.1:${port}`
  const stop = () => {
    proxy.kill('SIGTERM')
    return ended
  }
  await until(() => fetch(`${url}/livez`).catch(() => undefined)).catch(async (error) => {
    await stop()
    throw error
  })
  return { url, stop }
}
