import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { dropInText, missingIn, OPTIONS, UNIT, UNIT_TEXT } from '../../src/cli/install/unit.ts'
import { makeCertificate } from '../webhooks/egress/certificates.ts'
import { cli, temporaryFolder } from './command-line.ts'

const folder = temporaryFolder()

const printed = async (...argv: string[]) => {
  const { code, out, err } = await cli(['install', '--print', ...argv])
  assert.equal(code, 0, err)
  return out
}
const refused = async (...argv: string[]) => {
  const { code, out, err } = await cli(['install', ...argv])
  assert.deepEqual([code, out], [2, ''], err)
  return err
}

describe('dealbox install --print', () => {
  test('shows the unit alone where nothing is particular', async () => {
    assert.equal(await printed(), UNIT_TEXT)
    assert.match(UNIT_TEXT, /^ExecStart=\/usr\/local\/bin\/dealbox serve --data \/var\/lib\/dealbox$/m)
  })

  test('shows the options that differ from their defaults, as an addition to the unit', async () => {
    const out = await printed('--host', 'crm.example.com', '--api-listen', '127.0.0.1:8080', '--user', 'crm')
    const [unit, addition] = out.split(`\n# ${OPTIONS}\n`)
    assert.equal(unit, UNIT_TEXT)
    assert.deepEqual(addition?.trim().split('\n').slice(1), [
      '[Service]',
      'User=crm',
      'Environment="DEALBOX_HOST=crm.example.com"',
    ])
  })

  test('asks for the one capability that ports below 1024 take, and for none otherwise', async () => {
    assert.match(
      await printed('--screens-listen', '[::]:443'),
      /^AmbientCapabilities=CAP_NET_BIND_SERVICE\n.*\nPrivateUsers=no$/m,
    )
    assert.doesNotMatch(await printed('--screens-listen', '[::]:1024'), /CAP_/)
    assert.doesNotMatch(await printed('--screens-listen', 'off'), /CAP_/)
  })

  test('hands over files as credentials, and opens folders for writing', () => {
    const file = { type: 'string', placeholder: 'FILE', help: '' } as const
    const options = { tlsKey: file, backupDir: { ...file, placeholder: 'DIR' } }
    const values = { tlsKey: '/etc/k.pem', backupDir: '/mnt/100%', apiListen: '127.0.0.1:0', screensListen: 'off' }
    assert.deepEqual(dropInText({ user: 'dealbox', options, values }).split('\n').slice(2, -1), [
      'LoadCredential=tls-key:/etc/k.pem',
      'Environment="DEALBOX_TLS_KEY=%d/tls-key"',
      'ReadWritePaths=/mnt/100%%',
      'Environment="DEALBOX_BACKUP_DIR=/mnt/100%%"',
    ])
    for (const wrong of ['k.pem', '/a b', '/a:b'])
      assert.throws(() => dropInText({ user: 'dealbox', options, values: { ...values, tlsKey: wrong } }), {
        code: 'usage',
        message: /needs a full path without spaces and colons/,
      })
  })

  test('leaves out what the configuration file has, and takes no secret, which everybody could read', async () => {
    const options = { host: { type: 'string', help: '' } } as const
    const values = { host: 'crm', apiListen: '127.0.0.1:0', screensListen: '0.0.0.0:80' }
    const text = dropInText({ user: 'dealbox', options, values, inFile: () => true })
    assert.ok(!text.includes('DEALBOX_HOST') && text.includes('CAP_NET_BIND_SERVICE'), text)
    const err = await refused('--monitor-token', 'a token of sixteen'.replaceAll(' ', '-'))
    assert.match(err, /--monitor-token is a secret.*LoadCredential=monitor-token:FILE/)
    assert.ok(!err.includes('sixteen'))
  })

  test('knows which options an earlier addition had that a new one has not', async () => {
    const before = await printed('--host', 'crm.example.com', '--trust-proxy', '127.0.0.1', '--replicated')
    const after = await printed('--host', 'crm.example.com')
    assert.deepEqual(missingIn(after, before), ['--trust-proxy', '--replicated'])
    assert.deepEqual(missingIn(before, after), [])
  })

  test('writes what systemd would read otherwise', () => {
    const options = { publicUrl: { type: 'string', help: '' } } as const
    const values = { publicUrl: 'a"b\\c%d $e', apiListen: '127.0.0.1:0', screensListen: 'off' }
    assert.match(
      dropInText({ user: 'dealbox', options, values }),
      /^Environment="DEALBOX_PUBLIC_URL=a\\"b\\\\c%%d \$e"$/m,
    )
    assert.throws(() => dropInText({ user: 'dealbox', options, values: { ...values, publicUrl: 'a\nUser=root' } }), {
      code: 'usage',
    })
  })
})

describe('dealbox install', () => {
  test('refuses what the server would refuse, before anything is done', async () => {
    assert.match(await refused('--user', 'root'), /--user root cannot be the user/)
    assert.match(await refused('--user', 'Ana Ruiz'), /cannot be the user/)
    assert.match(
      await refused('--data', '/srv/dealbox'),
      /is \/var\/lib\/dealbox\. To use another disk, mount it there/,
    )
    assert.match(await refused('--api-listen', 'off'), /--api-listen must not be off/)
    assert.match(await refused('--trust-proxy', '10/8'), /in --trust-proxy is not a network/)
    assert.match(await refused('--log-level', 'loud'), /--log-level must be/)
    assert.match(await refused('--tls-cert', '/none.pem', '--tls-key', '/none.pem'), /there is no such file/)
    assert.match(await refused('--json'), /There is no option --json here/)
  })

  test('says what it lacks on a machine or in a program that cannot install, and changes nothing', async () => {
    const before = existsSync(UNIT)
    const { code, out, err } = await cli(['install'])
    assert.deepEqual([code, out], [1, ''])
    assert.match(
      err,
      /^(systemd does not run here\. Use the Dockerfile|Installing takes root: run it with sudo|Only the executable can be installed).*"dealbox install --print" shows the unit\.\n$/s,
    )
    assert.equal(existsSync(UNIT), before)
  })
})

const analyze = (...args: string[]) => execFileSync('systemd-analyze', args, { encoding: 'utf8', stdio: 'pipe' })

function hasSystemd(): boolean {
  try {
    return Number(/^systemd (\d+)/.exec(analyze('--version'))?.[1]) >= 250
  } catch {
    return false
  }
}

describe('the unit', { skip: hasSystemd() ? false : 'there is no systemd 250 to analyze it' }, () => {
  const pair = makeCertificate(2020, 2090)
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  writeFileSync(cert, pair?.cert ?? '')
  writeFileSync(key, pair?.key ?? '')
  for (const [name, argv] of [
    ['as it is', []],
    ['with its own certificate on port 443', ['--screens-listen', '0.0.0.0:443', '--tls-cert', cert, '--tls-key', key]],
    ['with another user', ['--user', 'crm']],
  ] as const)
    test(`is correct ${name}, and its exposure at most 2.0`, async () => {
      const place = mkdtempSync(join(folder, 'unit-'))
      const [unit = '', addition] = (await printed(...argv)).split(`\n# ${OPTIONS}\n`)
      const file = join(place, 'dealbox.service')
      writeFileSync(file, unit.replace('/usr/local/bin/dealbox', process.execPath))
      if (addition !== undefined) {
        mkdirSync(`${file}.d`)
        writeFileSync(join(`${file}.d`, 'options.conf'), addition)
      }
      assert.equal(analyze('verify', '--man=no', file), '')
      const table = analyze('security', '--offline=yes', '--no-pager', '--threshold=20', file)
      const [, exposure] = /Overall exposure level for dealbox\.service: (\d+\.\d+)/.exec(table) ?? []
      assert.ok(Number(exposure) <= 2, table)
      assert.equal(/CAP_NET_BIND_SERVICE/.test(addition ?? ''), name.includes('443'))
    })
})

/** Prints each datagram that arrives at a Unix socket, on a line. */
const RECEIVER = `
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
print('bound', flush=True)
while True: print(s.recv(4096).decode().replace('\\n', ' '), flush=True)
`

test('the server tells systemd that it is ready, and then again and again that it runs', {
  skip: hasSystemd() ? false : 'there is no systemd-notify',
}, async (t) => {
  const socket = join(folder, 'notify')
  const receiver = spawn('python3', ['-c', RECEIVER, socket], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => receiver.kill('SIGKILL'))
  let got = ''
  const until = async (pattern: RegExp) => {
    while (!pattern.test(got)) got += (await once(receiver.stdout, 'data'))[0]
  }
  await until(/bound/)
  const env = {
    PATH: process.env.PATH,
    NOTIFY_SOCKET: socket,
    WATCHDOG_USEC: '80000',
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
  }
  const main = join(import.meta.dirname, '../../src/main.ts')
  const listen = ['--api-listen', '127.0.0.1:0', '--screens-listen', '127.0.0.1:0']
  const server = spawn(process.execPath, [main, 'serve', '--data', join(folder, 'data'), ...listen], {
    env,
    stdio: 'ignore',
  })
  t.after(() => server.kill('SIGKILL'))
  await until(/READY=1.*(WATCHDOG=1.*){3}/s)
  server.kill('SIGTERM')
  assert.deepEqual(await once(server, 'exit'), [0, null])
})
