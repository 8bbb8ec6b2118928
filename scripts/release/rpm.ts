import { hash } from 'node:crypto'
import { basename, dirname } from 'node:path'
import { constants, zstdCompressSync } from 'node:zlib'
import { cpio } from './cpio.ts'
import { DESCRIPTION, MAINTAINER, MAKE_USER, packageFiles, type Release, SUMMARY, TAKE_OVER } from './package.ts'
import { rpmHeader, type Value } from './rpm-header.ts'

export type RpmArch = 'x86_64' | 'aarch64'

// The numbers are from rpmtag.h, rpmds.h and rpmpgp.h of rpm.
const SIGNATURES = 62
const IMMUTABLE = 63
const SHA256 = 8
const EQUAL = 8
const AT_LEAST = 12
const OF_RPM = 0x1000000 + 10
const OF_SCRIPTS = 0x100 + 0x400

const NEEDS: [name: string, flags: number, version: string][] = [
  ['/bin/sh', OF_SCRIPTS, ''],
  ['/usr/sbin/useradd', 0, ''],
  ['libatomic.so.1()(64bit)', 0, ''],
  ['libc.so.6(GLIBC_2.34)(64bit)', 0, ''],
  ['libgcc_s.so.1()(64bit)', 0, ''],
  ['libstdc++.so.6()(64bit)', 0, ''],
  ['rpmlib(CompressedFileNames)', OF_RPM, '3.0.4-1'],
  ['rpmlib(FileDigests)', OF_RPM, '4.6.0-1'],
  ['rpmlib(PayloadFilesHavePrefix)', OF_RPM, '4.0-1'],
  ['rpmlib(PayloadIsZstd)', OF_RPM, '5.4.18-1'],
  ['systemd', AT_LEAST, '250'],
]

/**
 * A package for Fedora, RHEL and openSUSE. It is not signed itself, since that takes a key of rpm's own kind: SHA256SUMS is.
 * Its digests are those by which rpm 4.14 and later check a package before they install it.
 */
export function rpmPackage(arch: RpmArch, executable: Buffer, release: Release, level = 19): Buffer {
  const { version, seconds } = release
  const files = packageFiles(executable, release, 'site-functions').map(({ path, mode = 0o644, bytes }, index) => ({
    ...{ path, mode: 0o100000 + mode, bytes: bytes as Buffer, inode: index + 1 },
  }))
  const unpacked = cpio(files, seconds)
  const payload = zstdCompressSync(unpacked, { params: { [constants.ZSTD_c_compressionLevel]: level } })
  const folders = [...new Set(files.map(({ path }) => `/${dirname(path)}/`))]
  const each = (value: number) => ({ int32: files.map(() => value) })
  const words = (value: string) => ({ strings: files.map(() => value) })
  const size = files.reduce((sum, { bytes }) => sum + bytes.length, 0)
  const header = rpmHeader(IMMUTABLE, {
    100: { strings: ['C'] },
    1000: { string: 'dealbox' },
    1001: { string: version },
    1002: { string: '1' },
    1004: { texts: [SUMMARY] },
    1005: { texts: [DESCRIPTION] },
    1006: { int32: [seconds] },
    1007: { string: 'localhost' },
    1009: { int32: [size] },
    1014: { string: 'MIT' },
    1015: { string: MAINTAINER },
    1016: { texts: ['Unspecified'] },
    1021: { string: 'linux' },
    1022: { string: arch },
    1024: { string: SCRIPTS.post },
    1025: { string: SCRIPTS.preun },
    1026: { string: SCRIPTS.postun },
    1028: { int32: files.map(({ bytes }) => bytes.length) },
    1030: { int16: files.map(({ mode }) => mode) },
    1033: { int16: files.map(() => 0) },
    1034: each(seconds),
    1035: { strings: files.map(({ bytes }) => hash('sha256', bytes)) },
    1036: words(''),
    1037: { int32: files.map(({ path }) => (path.includes('/doc/') || path.includes('/man/') ? 2 : 0)) },
    1039: words('root'),
    1040: words('root'),
    1044: { string: `dealbox-${version}-1.src.rpm` },
    1045: each(-1),
    1047: { strings: ['dealbox', `dealbox(${arch === 'x86_64' ? 'x86-64' : 'aarch-64'})`] },
    1048: { int32: NEEDS.map(([, flags]) => flags) },
    1049: { strings: NEEDS.map(([name]) => name) },
    1050: { strings: NEEDS.map(([, , of]) => of) },
    1064: { string: '4.14.0' },
    1086: { string: '/bin/sh' },
    1087: { string: '/bin/sh' },
    1088: { string: '/bin/sh' },
    1095: each(1),
    1096: { int32: files.map(({ inode }) => inode) },
    1097: words(''),
    1112: { int32: [EQUAL, EQUAL] },
    1113: { strings: [`${version}-1`, `${version}-1`] },
    1116: { int32: files.map(({ path }) => folders.indexOf(`/${dirname(path)}/`)) },
    1117: { strings: files.map(({ path }) => basename(path)) },
    1118: { strings: folders },
    1124: { string: 'cpio' },
    1125: { string: 'zstd' },
    1126: { string: String(level) },
    5011: { int32: [SHA256] },
    5062: { string: 'utf-8' },
    5092: { strings: [hash('sha256', payload)] },
    5093: { int32: [SHA256] },
    5097: { strings: [hash('sha256', unpacked)] },
  } satisfies Record<number, Value>)
  const signatures = rpmHeader(SIGNATURES, {
    273: { string: hash('sha256', header) },
    1000: { int32: [header.length + payload.length] },
    1007: { int32: [unpacked.length] },
  })
  const padding = Buffer.alloc((8 - (signatures.length % 8)) % 8)
  return Buffer.concat([lead(arch, version), signatures, padding, header, payload])
}

/** It only says that this is a package: nothing reads more of it any more. */
function lead(arch: RpmArch, version: string): Buffer {
  const bytes = Buffer.alloc(96)
  bytes.writeUInt32BE(0xedabeedb)
  bytes[4] = 3
  bytes.writeUInt16BE(arch === 'x86_64' ? 1 : 19, 8)
  bytes.write(`dealbox-${version}-1`, 10)
  bytes.writeUInt16BE(1, 76)
  bytes.writeUInt16BE(5, 78)
  return bytes
}

/**
 * What Fedora does with services: an administrator starts them first, an update restarts one that runs. When the package
 * goes, its data and its user stay.
 */
const SCRIPTS = {
  post: `${MAKE_USER}${TAKE_OVER}if [ -d /run/systemd/system ]; then systemctl daemon-reload || :; fi
if [ -n "$taken" ]; then
  systemctl enable dealbox.service || :
  if [ -d /run/systemd/system ]; then systemctl restart dealbox.service || :; fi
elif [ "$1" = 1 ]; then
  systemctl --no-reload preset dealbox.service > /dev/null 2>&1 || :
  echo 'dealbox: start it with "systemctl enable --now dealbox"; journalctl --unit dealbox then has the link that makes the first account'
fi
`,
  preun: `if [ "$1" = 0 ] && [ -d /run/systemd/system ]; then systemctl --no-reload disable --now dealbox.service || :; fi
`,
  postun: `if [ -d /run/systemd/system ]; then
  systemctl daemon-reload || :
  if [ "$1" -ge 1 ]; then systemctl try-restart dealbox.service || :; fi
fi
`,
}
