import { hash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { DebianArch } from './deb.ts'
import type { Libraries } from './libraries.ts'
import type { Release } from './package.ts'
import { type Item, tar, withFolders } from './tar.ts'

// An image of the Open Container Initiative for several architectures, as a layout in one tar file: no Docker makes it, and
// Docker, podman, containerd and Kubernetes run it. What it says of how to run is what the Dockerfile says.

export type Part = { arch: DebianArch; executable: Buffer; libraries: Libraries }

const OWNER = 10_001
const INDEX = 'application/vnd.oci.image.index.v1+json'
const MANIFEST = 'application/vnd.oci.image.manifest.v1+json'
const CONFIG = 'application/vnd.oci.image.config.v1+json'
const LAYER = 'application/vnd.oci.image.layer.v1.tar+gzip'
const LOADERS = { amd64: ['lib64', 'ld-linux-x86-64.so.2'], arm64: ['lib', 'ld-linux-aarch64.so.1'] }

/** How a container runs: also the Dockerfile, with which a test compares this. */
export const RUN = {
  User: `${OWNER}:${OWNER}`,
  ExposedPorts: { '8080/tcp': {}, '8081/tcp': {} },
  Env: [
    'PATH=/usr/local/bin',
    'DEALBOX_DATA=/data',
    'DEALBOX_API_LISTEN=0.0.0.0:8080',
    'DEALBOX_SCREENS_LISTEN=0.0.0.0:8081',
  ],
  Entrypoint: ['dealbox'],
  Cmd: ['serve'],
  Volumes: { '/data': {} },
  WorkingDir: '/data',
}

/** Docker's own, which the specification leaves alone. */
export const HEALTHCHECK = {
  Test: ['CMD', 'dealbox', 'healthcheck'],
  Interval: 30e9,
  Timeout: 10e9,
  StartPeriod: 120e9,
}

type Blob = { bytes: Buffer; digest: string }
type Descriptor = { mediaType: string; digest: string; size: number }

/** The libraries change seldom: they are a layer of their own, which an update need not fetch again. */
export function image(parts: readonly Part[], { version, seconds, licences }: Release, level = 9): Buffer {
  const blobs: Blob[] = []
  const keep = (mediaType: string, bytes: Buffer): Descriptor => {
    const digest = hash('sha256', bytes)
    blobs.push({ bytes, digest })
    return { mediaType, digest: `sha256:${digest}`, size: bytes.length }
  }
  const labels = {
    'org.opencontainers.image.title': 'Dealbox',
    'org.opencontainers.image.version': version,
    'org.opencontainers.image.licenses': 'MIT',
  }
  const created = new Date(seconds * 1000).toISOString().replace('.000', '')

  const manifests = parts.map(({ arch, executable, libraries }) => {
    const layers = [
      { items: base(arch, libraries), told: `libraries of Debian: ${Object.keys(libraries.controls).join(' ')}` },
      { items: own(executable, licences), told: 'dealbox' },
    ].map(({ items, told }) => ({ bytes: tar(withFolders(items), seconds), told }))
    const config = {
      ...{ created, architecture: arch, os: 'linux', ...(arch === 'arm64' ? { variant: 'v8' } : {}) },
      config: { ...RUN, Healthcheck: HEALTHCHECK, Labels: labels },
      rootfs: { type: 'layers', diff_ids: layers.map(({ bytes }) => `sha256:${hash('sha256', bytes)}`) },
      history: layers.map(({ told }) => ({ created, created_by: told })),
    }
    const manifest = {
      ...{ schemaVersion: 2, mediaType: MANIFEST, config: keep(CONFIG, json(config)) },
      layers: layers.map(({ bytes }) => keep(LAYER, gzipSync(bytes, { level }))),
      annotations: labels,
    }
    return {
      ...keep(MANIFEST, json(manifest)),
      platform: { architecture: arch, os: 'linux', ...(arch === 'arm64' ? { variant: 'v8' } : {}) },
    }
  })
  const all = keep(INDEX, json({ schemaVersion: 2, mediaType: INDEX, manifests, annotations: labels }))
  const named = {
    'org.opencontainers.image.ref.name': version,
    'io.containerd.image.name': `docker.io/library/dealbox:${version}`,
  }
  const files: Item[] = [
    { path: 'oci-layout', bytes: json({ imageLayoutVersion: '1.0.0' }) },
    {
      path: 'index.json',
      bytes: json({ schemaVersion: 2, mediaType: INDEX, manifests: [{ ...all, annotations: named }] }),
    },
    ...blobs.map(({ digest, bytes }) => ({ path: `blobs/sha256/${digest}`, bytes })),
  ]
  return tar(withFolders(files), seconds)
}

const json = (value: object): Buffer => Buffer.from(JSON.stringify(value))

/** The libraries where their loader looks, and what a C library asks for: names of users, and how to find hosts. */
function base(arch: DebianArch, { items, controls }: Libraries): Item[] {
  const text = (path: string, content: string): Item => ({ path, bytes: Buffer.from(content) })
  const [folder] = LOADERS[arch] as [string]
  const links = [...new Set(['lib', folder])].map((path) => ({ path, link: `usr/${path}` }))
  return [
    ...items,
    ...links,
    { path: 'tmp', mode: 0o1777 },
    { path: 'data', mode: 0o700, owner: OWNER },
    text('etc/passwd', `root:x:0:0:root:/:/sbin/nologin\ndealbox:x:${OWNER}:${OWNER}::/data:/sbin/nologin\n`),
    text('etc/group', `root:x:0:\ndealbox:x:${OWNER}:\n`),
    text('etc/nsswitch.conf', 'passwd: files\ngroup: files\nhosts: files dns\n'),
    // Scanners find here what there is of Debian.
    text(
      'etc/os-release',
      'NAME="Debian GNU/Linux"\nID=debian\nVERSION_ID="12"\nPRETTY_NAME="Dealbox on libraries of Debian 12"\n',
    ),
    ...Object.entries(controls).map(([name, control]) => text(`var/lib/dpkg/status.d/${name}`, control)),
  ]
}

const own = (executable: Buffer, licences: string): Item[] => [
  { path: 'usr/local/bin/dealbox', mode: 0o755, bytes: executable },
  { path: 'usr/share/doc/dealbox/copyright', bytes: Buffer.from(licences) },
]
