import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
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

/** Whether somebody listens at a port. */
const isThere = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true))
    socket.on('error', () => resolve(false)).on('connect', () => socket.destroy())
  })

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

/** Where the listeners of a server are, and a certificate for the proxy. */
type Below = { api: string; screens: string; pair: { key: string; cert: string } }

/** With deploy/subpath.nginx.conf and TLS: what is below /crm/ is passed on, and all else is answered by the proxy itself. */
async function startNginxBelow(home: string, { api, screens, pair }: Below): Promise<StartedProxy> {
  const port = await freePort()
  const site = besides(home, pair, 'subpath.nginx.conf')
    .replaceAll('127.0.0.1:8080', new URL(api).host)
    .replaceAll('127.0.0.1:8081', new URL(screens).host)
    .replaceAll('/etc/letsencrypt/live/example.com/fullchain.pem', join(home, 'cert.pem'))
    .replaceAll('/etc/letsencrypt/live/example.com/privkey.pem', join(home, 'key.pem'))
    .replace(/ *listen \[::\]:.*\n/g, '')
    .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
  writeFileSync(join(home, 'nginx.conf'), nginxMain(home, site))
  return started(spawn('nginx', ['-p', home, '-c', join(home, 'nginx.conf')], { stdio: 'ignore' }), port, 'https')
}

/** The same with deploy/subpath.Caddyfile. */
async function startCaddyBelow(home: string, { api, screens, pair }: Below): Promise<StartedProxy> {
  const port = await freePort()
  const site = besides(home, pair, 'subpath.Caddyfile')
    .replaceAll('127.0.0.1:8080', new URL(api).host)
    .replaceAll('127.0.0.1:8081', new URL(screens).host)
    .replace('example.com {', `https://127.0.0.1:${port} {\n\tbind 127.0.0.1\n\ttls ${home}/cert.pem ${home}/key.pem`)
  const file = join(home, 'Caddyfile')
  writeFileSync(file, `{\n\tadmin off\n\tauto_https off\n}\n${site}`)
  const env = { PATH: process.env.PATH, HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home }
  const caddy = spawn('caddy', ['run', '--config', file, '--adapter', 'caddyfile'], { stdio: 'ignore', env })
  return started(caddy, port, 'https')
}

function besides(home: string, { key, cert }: Below['pair'], name: string): string {
  mkdirSync(home, { recursive: true })
  writeFileSync(join(home, 'cert.pem'), cert)
  writeFileSync(join(home, 'key.pem'), key)
  return readFileSync(join(deploy, name), 'utf8')
}

/** A proxy, and whether it is installed. */
export const PROXIES = [
  { name: 'nginx', version: versionOf('nginx', '-v'), start: startNginx, startBelow: startNginxBelow },
  { name: 'Caddy', version: versionOf('caddy', 'version'), start: startCaddy, startBelow: startCaddyBelow },
] as const

async function started(proxy: ChildProcess, port: number, scheme = 'http'): Promise<StartedProxy> {
  const ended = once(proxy, 'exit')
  const url = `${scheme}://127.0.0.1:${port}`
  const stop = () => {
    proxy.kill('SIGTERM')
    return ended
  }
  await until(() => isThere(port)).catch(async (error) => {
    await stop()
    throw error
  })
  return { url, stop }
}
