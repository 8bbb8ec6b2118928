import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { chart } from '../../scripts/release/chart.ts'
import { releaseCompose } from '../../scripts/release/compose.ts'
import { debPackage } from '../../scripts/release/deb.ts'
import { HEALTHCHECK, image, RUN } from '../../scripts/release/image.ts'
import { lockedLibraries } from '../../scripts/release/libraries.ts'
import { rpmPackage } from '../../scripts/release/rpm.ts'
import { makeKey, sign, verify } from '../../scripts/release/sign.ts'
import { type Item, tar } from '../../scripts/release/tar.ts'
import { PACKAGED_UNIT_TEXT } from '../../src/ops/install/unit.ts'

// Packages of a small program, as the tools of those who install them see them. .ci/packages installs and runs the real ones.

const root = join(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'dealbox-packages-'))
after(() => rmSync(folder, { recursive: true }))
const program = Buffer.from('#!/bin/sh\necho a program\n')
const release = { version: '1.2.3', seconds: Date.UTC(2026, 10, 29) / 1000, licences: 'All licences.\n' }
const run = (name: string, ...argv: string[]) => execFileSync(name, argv, { cwd: folder, encoding: 'utf8' })
const lacks = (name: string) => (spawnSync(name, ['--version']).error ? `there is no ${name}` : false)
const textOf = (path: string) => readFileSync(join(root, path), 'utf8')

const FILES = [
  'usr/bin/dealbox',
  'usr/lib/systemd/system/dealbox.service',
  'usr/share/bash-completion/completions/dealbox',
  'usr/share/doc/dealbox/copyright',
  'usr/share/fish/vendor_completions.d/dealbox.fish',
  'usr/share/man/man1/dealbox.1.gz',
]

/** What was unpacked is what was packed. */
function checkFiles(of: string, zsh: string): void {
  const paths = run('find', of, '-type', 'f', '-printf', '%P\n').trim().split('\n').toSorted()
  assert.deepEqual(paths, [...FILES, `usr/share/zsh/${zsh}/_dealbox`])
  const at = (path: string) => join(folder, of, path)
  assert.deepEqual(readFileSync(at('usr/bin/dealbox')), program)
  assert.equal(statSync(at('usr/bin/dealbox')).mode & 0o7777, 0o755)
  assert.equal(statSync(at('usr/lib/systemd/system/dealbox.service')).mode & 0o7777, 0o644)
  assert.equal(readFileSync(at('usr/lib/systemd/system/dealbox.service'), 'utf8'), PACKAGED_UNIT_TEXT)
  assert.match(PACKAGED_UNIT_TEXT, /^ExecStart=\/usr\/bin\/dealbox serve --data \/var\/lib\/dealbox$/m)
  assert.match(
    gunzipSync(readFileSync(at('usr/share/man/man1/dealbox.1.gz'))).toString(),
    /"2026-11-29" "Dealbox 1\.2\.3"/,
  )
}

describe('a package for Debian', { skip: lacks('dpkg-deb') }, () => {
  const name = join(folder, 'dealbox.deb')

  test('says what it is and what it needs, and has every file as it was, with its sum', () => {
    writeFileSync(name, debPackage('arm64', program, release, 3))
    const fields = run('dpkg-deb', '--field', name, 'Package', 'Version', 'Architecture', 'Depends')
    assert.match(
      fields,
      /^Package: dealbox\nVersion: 1\.2\.3\nArchitecture: arm64\nDepends: libc6 \(>= 2\.34\), .*libatomic1/,
    )
    assert.match(run('dpkg-deb', '--contents', name), /^drwxr-xr-x 0\/0 +0 2026-11-29 .* \.\/usr\/bin\/$/m)
    run('dpkg-deb', '--extract', name, 'deb')
    checkFiles('deb', 'vendor-completions')
    run('dpkg-deb', '--control', name, 'control')
    for (const line of readFileSync(join(folder, 'control/md5sums'), 'utf8').trim().split('\n')) {
      const [sum, path] = line.split('  ')
      assert.equal(hash('md5', readFileSync(join(folder, 'deb', path as string))), sum)
    }
  })

  test('its scripts are ones of sh, and none of them removes data or a user', () => {
    for (const script of ['postinst', 'prerm', 'postrm']) {
      const path = join(folder, 'control', script)
      run('sh', '-n', path)
      assert.doesNotMatch(readFileSync(path, 'utf8'), /userdel|deluser|rm -r|rm -f .*var/)
      assert.equal(statSync(path).mode & 0o777, 0o755)
    }
  })

  test('is the same each time', () => {
    assert.deepEqual(debPackage('arm64', program, release, 3), readFileSync(name))
  })
})

describe('a package for Fedora', { skip: lacks('rpm') }, () => {
  const name = join(folder, 'dealbox.rpm')
  const query = (...argv: string[]) => run('rpm', '--query', '--package', ...argv, name)

  test('says what it is, what it needs, and what its digests are', () => {
    writeFileSync(name, rpmPackage('aarch64', program, release, 3))
    const checked = run('rpm', '--checksig', '--verbose', name)
    assert.match(checked, /Header SHA256 digest: OK/)
    assert.match(checked, /Payload SHA256 digest: OK/)
    assert.match(query('--info'), /Name +: dealbox\nVersion +: 1\.2\.3\nRelease +: 1\nArchitecture: aarch64\n/)
    assert.match(query('--requires'), /^libc\.so\.6\(GLIBC_2\.34\)\(64bit\)$/m)
    assert.match(query('--requires'), /^systemd >= 250$/m)
    assert.match(query('--list', '--verbose'), /^-rwxr-xr-x +1 root +root +25 .* \/usr\/bin\/dealbox$/m)
  })

  test('has every file as it was', () => {
    mkdirSync(join(folder, 'rpm'))
    run('sh', '-c', 'rpm2cpio dealbox.rpm | (cd rpm && cpio --quiet --extract --make-directories)')
    checkFiles('rpm', 'site-functions')
  })

  test('its scripts are ones of sh; an update stops and disables nothing, and nothing removes data or a user', () => {
    const scripts = query('--scripts')
    assert.doesNotMatch(scripts, /userdel|rm -r|rm -f .*var/)
    for (const tag of ['POSTIN', 'PREUN', 'POSTUN']) {
      writeFileSync(join(folder, tag), query('--queryformat', `%{${tag}}`))
      run('sh', '-n', tag)
    }
    // Programs that only say that they were called; rpm tells scripts how many versions there will be.
    const called = (script: string, count: string) => {
      const bin = join(folder, 'bin')
      mkdirSync(bin, { recursive: true })
      writeFileSync(join(bin, 'systemctl'), '#!/bin/sh\necho "systemctl $*"\n', { mode: 0o755 })
      const text = readFileSync(join(folder, script), 'utf8').replaceAll('/run/systemd/system', folder)
      return spawnSync('sh', ['-c', text, 'sh', count], { env: { PATH: `${bin}:/usr/bin:/bin` }, encoding: 'utf8' })
        .stdout
    }
    assert.equal(called('PREUN', '1'), '')
    assert.match(called('PREUN', '0'), /disable --now dealbox\.service/)
    assert.match(called('POSTUN', '1'), /try-restart dealbox\.service/)
    assert.doesNotMatch(called('POSTUN', '0'), /restart/)
  })

  test('one that was changed is refused, and it is the same each time', () => {
    const bytes = readFileSync(name)
    assert.deepEqual(rpmPackage('aarch64', program, release, 3), bytes)
    for (const at of [bytes.length - 40, bytes.indexOf('Contacts, companies')]) {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] as number) ^ 1
      writeFileSync(join(folder, 'changed.rpm'), changed)
      assert.notEqual(spawnSync('rpm', ['--checksig', 'changed.rpm'], { cwd: folder }).status, 0, `byte ${at}`)
    }
  })
})

describe('an image', () => {
  const part = (arch: 'amd64' | 'arm64') => {
    const items: Item[] = [{ path: 'usr/lib/libx.so.1', bytes: Buffer.from(arch) }]
    return { arch, executable: program, libraries: { items, controls: { libx: 'Package: libx\n' } } }
  }
  const archive = () => image([part('amd64'), part('arm64')], release, 1)
  type Descriptor = { digest: string; size: number; platform?: { architecture: string }; annotations?: object }
  const blob = ({ digest, size }: Descriptor) => {
    const bytes = readFileSync(join(folder, 'layout/blobs/sha256', digest.replace('sha256:', '')))
    assert.deepEqual([`sha256:${hash('sha256', bytes)}`, bytes.length], [digest, size])
    return bytes
  }
  const json = (bytes: Buffer) => JSON.parse(bytes.toString())

  test('is a layout in which each digest is right, with one index for both architectures', () => {
    writeFileSync(join(folder, 'image.tar'), archive())
    mkdirSync(join(folder, 'layout'))
    run('tar', '-xf', 'image.tar', '-C', 'layout')
    assert.deepEqual(json(readFileSync(join(folder, 'layout/oci-layout'))), { imageLayoutVersion: '1.0.0' })
    const { manifests } = json(readFileSync(join(folder, 'layout/index.json')))
    assert.equal(manifests.length, 1) // several of one name are refused by podman
    const index = json(blob(manifests[0]))
    assert.deepEqual(
      index.manifests.map(({ platform }: Descriptor) => platform?.architecture),
      ['amd64', 'arm64'],
    )
    for (const each of index.manifests) {
      const { config, layers } = json(blob(each))
      const { architecture, rootfs, config: how } = json(blob(config))
      assert.equal(architecture, each.platform.architecture)
      assert.deepEqual(
        rootfs.diff_ids,
        layers.map((layer: Descriptor) => `sha256:${hash('sha256', gunzipSync(blob(layer)))}`),
      )
      assert.deepEqual(how.Entrypoint, ['dealbox'])
    }
  })

  test('has the program, its libraries, and a folder for the data that belongs to its user alone', () => {
    const { manifests } = json(readFileSync(join(folder, 'layout/index.json')))
    const { layers } = json(blob(json(blob(manifests[0])).manifests[0]))
    const lists = layers.map((layer: Descriptor) => {
      writeFileSync(join(folder, 'layer.tar.gz'), blob(layer))
      return run('tar', '--numeric-owner', '-tvzf', 'layer.tar.gz')
    })
    assert.match(lists[0], /^drwx------ 10001\/10001 .* data\/$/m)
    assert.match(lists[0], /^drwxrwxrwt 0\/0 .* tmp\/$/m)
    assert.match(lists[0], / lib64 -> usr\/lib64$/m)
    assert.match(lists[0], / usr\/lib\/libx\.so\.1$/m)
    assert.match(lists[0], / var\/lib\/dpkg\/status\.d\/libx$/m)
    assert.match(lists[1], /^-rwxr-xr-x 0\/0 +25 .* usr\/local\/bin\/dealbox$/m)
  })

  test('is the same each time', () => {
    assert.deepEqual(archive(), readFileSync(join(folder, 'image.tar')))
  })

  test('runs as the Dockerfile says', () => {
    const file = textOf('Dockerfile')
    const of = (word: string) => new RegExp(`^${word} (.*)$`, 'm').exec(file)?.[1] ?? ''
    assert.equal(RUN.User, `${/useradd --uid (\d+)/.exec(file)?.[1]}:${/groupadd --gid (\d+)/.exec(file)?.[1]}`)
    assert.deepEqual(RUN.Env.slice(1), of('ENV').split(' '))
    assert.deepEqual(
      Object.keys(RUN.ExposedPorts),
      of('EXPOSE')
        .split(' ')
        .map((port) => `${port}/tcp`),
    )
    assert.deepEqual([RUN.Entrypoint, RUN.Cmd], [JSON.parse(of('ENTRYPOINT')), JSON.parse(of('CMD'))])
    assert.deepEqual([RUN.WorkingDir, Object.keys(RUN.Volumes)], [of('WORKDIR'), [of('VOLUME')]])
    assert.equal(
      of('HEALTHCHECK'),
      `--interval=30s --timeout=10s --start-period=2m ${HEALTHCHECK.Test[0]} ${JSON.stringify(HEALTHCHECK.Test.slice(1)).replaceAll(',', ', ')}`,
    )
  })

  test('its libraries are the same packages for both architectures, each with the hash of its file', () => {
    const { amd64, arm64 } = lockedLibraries()
    assert.deepEqual(
      amd64.map((each) => [each.package, each.version]),
      arm64.map((each) => [each.package, each.version]),
    )
    for (const { sha256 } of [...amd64, ...arm64]) assert.match(sha256, /^[0-9a-f]{64}$/)
  })
})

test('a tar file has what it was given, also links, and refuses a name that does not fit', () => {
  writeFileSync(
    join(folder, 'x.tar'),
    tar([{ path: 'a' }, { path: 'a/b', bytes: program, mode: 0o640, owner: 7 }, { path: 'c', link: 'a/b' }], 5),
  )
  const list = run('tar', '--numeric-owner', '--utc', '-tvf', 'x.tar')
  assert.match(
    list,
    /^drwxr-xr-x 0\/0 +0 1970-01-01 00:00 a\/\n-rw-r----- 7\/7 +25 .* a\/b\nlrwxrwxrwx 0\/0 .* c -> a\/b\n$/,
  )
  assert.throws(() => tar([{ path: 'x'.repeat(101), bytes: program }], 5), /too long/)
})

describe('compose.yaml and the chart', () => {
  test('the file of a release takes the image of the release, and is else that of the sources', () => {
    const source = textOf('compose.yaml')
    const made = releaseCompose(source, '1.2.3')
    assert.match(made, /^ {4}image: dealbox:1\.2\.3$/m)
    assert.doesNotMatch(made, /build/)
    const rest = (text: string) =>
      text
        .split('\n')
        .slice(1)
        .filter((line) => !/^ {4}(build|image): /.test(line))
    assert.deepEqual(rest(made), rest(source))
    assert.throws(() => releaseCompose(source.replace('build: .', 'build: ..'), '1.2.3'), /another form/)
  })

  test('the chart has the version of the release, and the same limits as compose.yaml', () => {
    const bytes = chart(root, '1.2.3', release.seconds)
    assert.deepEqual(chart(root, '1.2.3', release.seconds), bytes)
    writeFileSync(join(folder, 'chart.tgz'), bytes)
    run('tar', '-xzf', 'chart.tgz')
    assert.match(readFileSync(join(folder, 'dealbox/Chart.yaml'), 'utf8'), /^version: 1\.2\.3\nappVersion: '1\.2\.3'$/m)
    const pod = readFileSync(join(folder, 'dealbox/templates/statefulset.yaml'), 'utf8')
    assert.match(pod, /readOnlyRootFilesystem: true/)
    assert.match(pod, /mountPath: \/tmp/)
    assert.match(pod, /fsGroup: 10001/)
    assert.match(pod, /replicas: 1/)
    assert.match(pod, /enableServiceLinks: false/)
  })
})

describe('the signature of a release', {
  skip: lacks('ssh-keygen') === false ? false : 'there is no ssh-keygen',
}, () => {
  const [key, signers, sums] = ['key', 'release-signers', 'SHA256SUMS'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  /** The commands of SECURITY.md, in the folder of a release. */
  const check = () => {
    const section = textOf('SECURITY.md').split('## Checking a release')[1] ?? ''
    const code = /```sh\n([\s\S]*?)```/.exec(section)?.[1] ?? ''
    assert.match(code, /ssh-keygen -Y verify/)
    return spawnSync('bash', ['-ec', code], { cwd: folder, encoding: 'utf8' })
  }

  test('is made by a key that a command makes, and checked as SECURITY.md says, with some of the files', () => {
    makeKey(key, signers, '')
    assert.equal(statSync(key).mode & 0o777, 0o600)
    writeFileSync(join(folder, 'dealbox-linux-x64'), program)
    writeFileSync(sums, `${hash('sha256', program)}  dealbox-linux-x64\n${hash('sha256', 'x')}  not-fetched\n`)
    sign(sums, key, signers)
    verify(sums, signers)
    const { status, stdout, stderr } = check()
    assert.equal(status, 0, stdout + stderr)
    assert.match(stdout, /Good "dealbox-release" signature for releases@dealbox/)
    assert.match(stdout, /dealbox-linux-x64: OK/)
  })

  test('nothing passes that was changed, or of which no file is there', () => {
    const good = readFileSync(sums)
    writeFileSync(join(folder, 'dealbox-linux-x64'), 'another program')
    assert.notEqual(check().status, 0)
    rmSync(join(folder, 'dealbox-linux-x64'))
    assert.notEqual(check().status, 0) // with --ignore-missing, too
    writeFileSync(join(folder, 'dealbox-linux-x64'), 'another program')
    writeFileSync(sums, `${hash('sha256', 'another program')}  dealbox-linux-x64\n`)
    assert.notEqual(check().status, 0)
    assert.throws(() => verify(sums, signers))
    writeFileSync(sums, good)
    verify(sums, signers)
  })

  test('a key that is not in the list signs nothing, and a second key leaves the first in it', () => {
    const other = join(folder, 'other')
    makeKey(other, join(folder, 'their-signers'), '')
    copyFileSync(`${sums}.sig`, join(folder, 'good.sig'))
    assert.throws(() => sign(sums, other, signers), /is not in .*: nothing is signed/)
    assert.throws(() => statSync(`${sums}.sig`))
    assert.throws(() => makeKey(other, signers, ''), /is there already/)
    makeKey(join(folder, 'next'), signers, '')
    copyFileSync(join(folder, 'good.sig'), `${sums}.sig`)
    verify(sums, signers)
    sign(sums, join(folder, 'next'), signers)
  })
})
