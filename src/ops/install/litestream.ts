import { isAbsolute, join, relative, resolve } from 'node:path'
import { usage } from '../../lib/problem.ts'
import { DATABASE } from '../../store/open.ts'
import type { ReplicaPlace } from '../replication/commands/replica-options.ts'
import { SOCKET } from '../replication/renewal.ts'
import { DATA } from './unit.ts'

// The side of Litestream, which is a program of its own: its configuration, and how it runs beside Dealbox.

export const LITESTREAM_CONFIG = '/etc/dealbox-litestream.yml'
export const LITESTREAM_UNIT = '/etc/systemd/system/dealbox-litestream.service'
const COMPOSE = 'compose.replication.yaml'
/** The version that the tests run. */
const IMAGE = 'litestream/litestream:0.5.18'

export type LitestreamOptions = {
  place: ReplicaPlace
  user: string
  /** As they are given to Dealbox. */
  replica: string
  keyFile: string | undefined
  ca: string | undefined
}

/** Keys are in a file of their own, which its client finds by the environment. Throws a usage Problem. */
export function litestreamConfig(dataDir: string, place: ReplicaPlace): string {
  const where = 'folder' in place ? { path: place.folder } : { type: 's3', ...place }
  const lines = Object.entries(where).map(([key, value]) => `      ${key}: ${plain(value)}\n`)
  // Not every service has a host name for each bucket.
  const style = 'folder' in place ? '' : '      force-path-style: true\n'
  return `# Written by "dealbox replicate". docs/replication.md says more.
# Dealbox tells it here to copy the whole database anew, after a server was killed.
socket:
  enabled: true
  path: ${plain(`${dataDir}/${SOCKET}`)}
  permissions: 0600
dbs:
  - path: ${plain(`${dataDir}/${DATABASE}`)}
    replica:
${lines.join('')}${style}      sync-interval: 1s
# How far back a copy can be restored, and how long it has what was erased since.
snapshot:
  interval: 24h
  retention: 24h
`
}

/** In a sandbox as that of Dealbox; see unit.ts. It stops after Dealbox, so that the last commits are copied, too. */
export function litestreamUnit({ place, user, replica, keyFile, ca }: LitestreamOptions): string {
  const lines = [
    `User=${user}`,
    `ExecStart=litestream replicate -config ${LITESTREAM_CONFIG}`,
    ...(keyFile === undefined
      ? []
      : [
          `LoadCredential=replica-key-file:${full(keyFile)}`,
          'Environment=AWS_SHARED_CREDENTIALS_FILE=%d/replica-key-file',
        ]),
    ...(ca === undefined ? [] : [`LoadCredential=ca:${full(ca)}`, 'Environment=SSL_CERT_FILE=%d/ca']),
    `ReadWritePaths=${DATA}`,
    // The share may be away, and the folder of a later epoch is for Litestream to make.
    ...('folder' in place ? [`ReadWritePaths=-${full(resolve(replica))}`] : []),
  ]
  return `# Written by "dealbox replicate", which replaces it.
[Unit]
Description=Litestream for Dealbox
Wants=network-online.target
After=network-online.target
Before=dealbox.service

[Service]
${lines.join('\n')}
Restart=always
RestartSec=5s
TimeoutStopSec=60s
UMask=0077
LimitCORE=0

NoNewPrivileges=yes
CapabilityBoundingSet=
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
ProtectClock=yes
ProtectHostname=yes
ProtectControlGroups=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
LockPersonality=yes
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM

[Install]
WantedBy=multi-user.target
`
}

/** What is added to compose.yaml. Both containers see the folder of the copy at the same path. */
export function litestreamCompose({ place, replica, keyFile, ca }: LitestreamOptions): string {
  const isFolder = 'folder' in place
  const secrets = { 'replica-keys': keyFile, ca }
  const files = Object.entries(secrets).flatMap(([name, file]) => (file === undefined ? [] : [{ name, file }]))
  const has = (name: string) => files.some((each) => each.name === name)
  const config = litestreamConfig(
    '/data',
    isFolder ? { folder: join('/copy', relative(replica, place.folder)) } : place,
  )
  const uses = files.length === 0 ? [] : ['    secrets:', ...files.map(({ name }) => `      - ${name}`)]
  const copy = isFolder ? [`      - ${full(resolve(replica))}:/copy`] : []
  return [
    `# docker compose --file compose.yaml --file ${COMPOSE} up --detach`,
    'services:',
    '  dealbox:',
    '    depends_on:',
    '      - litestream',
    '    environment:',
    "      DEALBOX_REPLICATED: 'true'",
    `      DEALBOX_REPLICA: ${isFolder ? '/copy' : plain(replica)}`,
    ...(isFolder ? [] : [`      DEALBOX_REPLICA_REGION: ${plain(place.region)}`]),
    ...(has('replica-keys') ? ['      DEALBOX_REPLICA_KEY_FILE: /run/secrets/replica-keys'] : []),
    ...(has('ca') ? ['      DEALBOX_CA: /run/secrets/ca'] : []),
    ...uses,
    ...(isFolder ? ['    volumes:', ...copy] : []),
    '  litestream:',
    `    image: ${IMAGE}`,
    '    command: replicate -config /etc/litestream.yml',
    "    user: '10001:10001'",
    '    restart: unless-stopped',
    '    stop_grace_period: 60s',
    ...(files.length > 0 ? ['    environment:'] : []),
    ...(has('replica-keys') ? ['      AWS_SHARED_CREDENTIALS_FILE: /run/secrets/replica-keys'] : []),
    ...(has('ca') ? ['      SSL_CERT_FILE: /run/secrets/ca'] : []),
    ...uses,
    '    configs:',
    '      - source: litestream',
    '        target: /etc/litestream.yml',
    '    volumes:',
    '      - data:/data',
    ...copy,
    '    read_only: true',
    '    cap_drop:',
    '      - ALL',
    '    security_opt:',
    '      - no-new-privileges:true',
    'configs:',
    '  litestream:',
    '    content: |',
    ...config
      .trimEnd()
      .split('\n')
      .map((line) => `      ${line}`),
    ...(files.length > 0 ? ['secrets:'] : []),
    ...files.flatMap(({ name, file }) => [`  ${name}:`, `    file: ${plain(file)}`]),
    '',
  ].join('\n')
}

/** All three, as they are printed. */
export const litestreamTexts = (dataDir: string, options: LitestreamOptions): Record<string, string> => ({
  [LITESTREAM_CONFIG]: litestreamConfig(dataDir, options.place),
  [LITESTREAM_UNIT]: litestreamUnit(options),
  [COMPOSE]: litestreamCompose(options),
})

/** Text that YAML, systemd, Docker and Litestream all take as it is. */
function plain(text: string): string {
  if (/^[\w./:@+-]+$/.test(text)) return text
  throw usage(`"${text}" cannot be written into the files of Litestream. Use letters, digits and ./:@+-_ only.`)
}

function full(path: string): string {
  if (isAbsolute(path) && !path.includes(':')) return plain(path)
  throw usage(`"${path}" has to be a full path without colons.`)
}
