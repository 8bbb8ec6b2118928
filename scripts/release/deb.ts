import { hash } from 'node:crypto'
import { constants, zstdCompressSync } from 'node:zlib'
import { ar } from './ar.ts'
import { DESCRIPTION, MAINTAINER, MAKE_USER, packageFiles, type Release, SUMMARY, TAKE_OVER } from './package.ts'
import { type Item, tar, withFolders } from './tar.ts'

export type DebianArch = 'amd64' | 'arm64'

/** The addon with SQLite needs this libc; Debian 12 and Ubuntu 22.04 have it, and a dpkg that reads zstd. */
const DEPENDS = 'libc6 (>= 2.34), libstdc++6 (>= 11), libgcc-s1, libatomic1, passwd, systemd (>= 250)'

/** A package for Debian and Ubuntu. */
export function debPackage(arch: DebianArch, executable: Buffer, release: Release, level = 19): Buffer {
  const { version, seconds } = release
  const files = packageFiles(executable, release, 'vendor-completions')
  const data = files.map((file) => ({ ...file, path: `./${file.path}` }))
  const scripts = Object.entries(SCRIPTS).map(([name, bytes]) => script(name, bytes))
  const control = [
    { path: './control', bytes: Buffer.from(controlText(arch, version, files)) },
    { path: './md5sums', bytes: Buffer.from(files.map(sumLine).join('')) },
    ...scripts,
  ]
  const packed = (items: Item[], to: number) =>
    zstdCompressSync(tar(items, seconds), { params: { [constants.ZSTD_c_compressionLevel]: to } })
  return ar(
    {
      'debian-binary': Buffer.from('2.0\n'),
      'control.tar.zst': packed([{ path: '.' }, ...control], 19),
      'data.tar.zst': packed([{ path: '.' }, ...withFolders(data)], level),
    },
    seconds,
  )
}

const controlText = (arch: DebianArch, version: string, files: readonly Item[]): string => `Package: dealbox
Version: ${version}
Architecture: ${arch}
Maintainer: ${MAINTAINER}
Installed-Size: ${Math.ceil(files.reduce((sum, { bytes }) => sum + (bytes?.length ?? 0), 0) / 1024)}
Depends: ${DEPENDS}
Section: web
Priority: optional
Description: ${SUMMARY}
 ${DESCRIPTION}
`

/** dpkg --verify compares with them; it knows no others. */
const sumLine = ({ path, bytes }: Item): string => `${hash('md5', bytes as Buffer)}  ${path}\n`

const script = (name: string, text: string): Item => ({ path: `./${name}`, mode: 0o755, bytes: Buffer.from(text) })

/**
 * As dh_installsystemd writes them: a service that was disabled or stopped by its administrator stays so at updates, and all
 * others run again after them. When the package goes, its data and its user stay, also with "purge".
 */
const SCRIPTS = {
  postinst: `#!/bin/sh
set -e
case "$1" in configure | abort-upgrade | abort-deconfigure | abort-remove) ;; *) exit 0 ;; esac
${MAKE_USER}${TAKE_OVER}deb-systemd-helper unmask dealbox.service > /dev/null || true
if deb-systemd-helper --quiet was-enabled dealbox.service; then
  deb-systemd-helper enable dealbox.service > /dev/null || true
else
  deb-systemd-helper update-state dealbox.service > /dev/null || true
fi
if [ -d /run/systemd/system ]; then
  systemctl --system daemon-reload > /dev/null || true
  deb-systemd-invoke restart dealbox.service > /dev/null || echo 'dealbox: the service does not start: journalctl --unit dealbox' >&2
  [ -n "$2" ] || ! systemctl is-active --quiet dealbox.service || echo 'dealbox: journalctl --unit dealbox has the link that makes the first account'
fi
`,
  prerm: `#!/bin/sh
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
  deb-systemd-invoke stop dealbox.service > /dev/null || true
fi
`,
  postrm: `#!/bin/sh
set -e
if [ -d /run/systemd/system ]; then systemctl --system daemon-reload > /dev/null || true; fi
if [ "$1" = remove ] && [ -x /usr/bin/deb-systemd-helper ]; then deb-systemd-helper mask dealbox.service > /dev/null || true; fi
if [ "$1" = purge ] && [ -x /usr/bin/deb-systemd-helper ]; then
  deb-systemd-helper purge dealbox.service > /dev/null || true
  deb-systemd-helper unmask dealbox.service > /dev/null || true
fi
`,
}
