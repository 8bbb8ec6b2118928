import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import pino from 'pino'
import { commands } from '../../src/cli/commands.ts'
import { confirmLoss } from '../../src/cli/install.ts'
import { tellServiceManager } from '../../src/cli/serve/service-manager.ts'
import { optionsOf } from '../../src/command/command.ts'
import { keyOf, type Options } from '../../src/command/config/options.ts'
import { readConfig } from '../../src/command/config/read.ts'
import type { Environment } from '../../src/lib/machine/environment.ts'
import { dropInText, missingIn, OPTIONS, UNIT, UNIT_TEXT } from '../../src/ops/install/unit.ts'
import { MAIN } from '../support/program.ts'
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

/** What systemd hands over for a drop-in, with the files themselves instead of the copies that are credentials. */
function environmentOf(dropIn: string): Environment {
  const inPlace = (text: string) =>
    text.replace(/%(.?)/g, (_, next) => {
      assert.equal(next, '%', `${text} has what systemd replaces`)
      return '%'
    })
  const files = new Map(
    [...dropIn.matchAll(/^LoadCredential=(.*?):(.*)$/gm)].map(([, key, file = '']) => [`%d/${key}`, inPlace(file)]),
  )
  const values = [...dropIn.matchAll(/^Environment="(\w+)=(.*)"$/gm)].map(([, name = '', quoted = '']) => {
    const text = quoted.replace(/\\(.)/g, (_, letter) => (letter === 'n' ? '\n' : letter))
    return [name, files.get(text) ?? inPlace(text)]
  })
  return Object.fromEntries(values)
}

const pair = makeCertificate(2020, 2090)
const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
writeFileSync(cert, pair?.cert ?? '')
writeFileSync(key, pair?.key ?? '')

describe('dealbox install --print', () => {
  test('shows the unit alone where nothing is particular', async () => {
    assert.equal(await printed(), UNIT_TEXT)
    assert.match(UNIT_TEXT, /^ExecStart=\/usr\/local\/bin\/dealbox serve --data \/var\/lib\/dealbox$/m)
  })

  test('shows the options that are given, as an addition to the unit, also if their values are the defaults', async () => {
    const out = await printed('--host', 'crm.example.com', '--api-listen', '127.0.0.1:8080', '--user', 'crm')
    const [unit, addition] = out.split(`\n# ${OPTIONS}\n`)
    assert.equal(unit, UNIT_TEXT)
    assert.deepEqual(addition?.trim().split('\n').slice(1), [
      '[Service]',
      'User=crm',
      'Environment="DEALBOX_API_LISTEN=127.0.0.1:8080"',
      'Environment="DEALBOX_HOST=crm.example.com"',
    ])
  })

  test('shows what a file of --config has: the server reads it back as it is, whatever the option', {
    skip: pair ? false : 'there is no openssl',
  }, async () => {
    const [passphrase, s3] = [join(folder, '100%'), join(folder, 's3')]
    const recipients = await Promise.all([1, 2].map(async () => identityToRecipient(await generateX25519Identity())))
    writeFileSync(passphrase, 'a lake in the north', { mode: 0o600 })
    writeFileSync(s3, 'aws_access_key_id=A\naws_secret_access_key=B\n', { mode: 0o600 })
    const content = {
      ...{
        'api-listen': '127.0.0.1:9090',
        'screens-listen': '127.0.0.1:8081',
        'public-url': 'https://crm.example.com/100%/of/ours',
        'base-path': '/of/ours',
      },
      ...{ host: 'crm.example.com,api.crm.example.com', 'tls-cert': cert, 'tls-key': key, 'trust-proxy': 'off' },
      ...{ 'rate-limit': 'off', 'cors-origin': 'https://a.example,https://b.example', 'webhook-allow': '10.0.0.0/8' },
      ...{
        ca: cert,
        'event-retention': 'never',
        'audit-retention': '30d',
        'max-attachments': '1M',
        'min-free': '65M',
        'expect-data': true,
      },
      ...{ 'backup-at': 'off', 'backup-dir': '/mnt/100%', 'backup-keep': '1,2,3', 'backup-encrypt': [passphrase] },
      ...{
        'backup-copy-to': ['/mnt/a', '/mnt/b'],
        'backup-copy-keep': '3,2,1',
        'backup-s3': 'https://s3.example.com/backups',
      },
      ...{ 'backup-s3-key-file': s3, 'backup-s3-region': 'eu-1' },
      ...{
        replicated: true,
        replica: '/mnt/copy',
        'replica-key-file': s3,
        'replica-region': 'eu-1',
      },
      ...{ 'replica-encrypt': recipients, follow: '/mnt/copy', 'follow-interval': '2s' },
      ...{
        litestream: '/opt/"Go" \\ $x/litestream',
        primary: 'https://a.example',
        'primary-screens': 'https://b.example',
      },
      ...{ 'monitor-from': 'loopback,10.0.0.0/8', 'notify-mail': 'ops@a.example,b@a.example' },
      ...{ 'age-notice': '180d', 'log-level': 'warn' },
    }
    const own: Options = commands.find(({ name }) => name === 'serve')?.options ?? {}
    const names = Object.keys(own).filter(
      (name) => !own[name]?.secret && !own[name]?.once && !['data', 'config', 'json'].includes(name),
    )
    assert.deepEqual(Object.keys(content).sort(), names.map(keyOf).sort())
    const file = join(folder, 'options.json')
    writeFileSync(file, JSON.stringify(content), { mode: 0o600 })
    const [, addition = ''] = (await printed('--config', file)).split(`\n# ${OPTIONS}\n`)
    const read = (argv: string[], env: Environment) =>
      readConfig({ options: own, args: {} }, { argv, env, known: optionsOf(commands) }).options
    const [found, wanted] = [read([], environmentOf(addition)), read(['--config', file], {})]
    for (const name of names) assert.deepEqual(found[name], wanted[name], name)
    writeFileSync(file, '{"replicated": false, "monitor-token": "a-token-of-sixteen"}', { mode: 0o600 })
    assert.match(await refused('--config', file), /--monitor-token is a secret/)
    writeFileSync(file, '{"replicated": false}')
    assert.match(await printed('--config', file), /^Environment="DEALBOX_REPLICATED=false"$/m)
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
      'ReadWritePaths=-/mnt/100%%',
      'Environment="DEALBOX_BACKUP_DIR=/mnt/100%%"',
    ])
    for (const wrong of ['k.pem', '/a b', '/a:b'])
      assert.throws(() => dropInText({ user: 'dealbox', options, values: { ...values, tlsKey: wrong } }), {
        code: 'usage',
        message: /needs a full path without spaces and colons/,
      })
  })

  test('leaves out what the service finds by itself, and takes no secret, which everybody could read', async () => {
    const options = { host: { type: 'string', help: '' } } as const
    const values = { host: 'crm', apiListen: '127.0.0.1:0', screensListen: '0.0.0.0:80' }
    const text = dropInText({ user: 'dealbox', options, values, isGiven: () => false })
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

  test('asks before options go, and refuses where nobody can be asked', async () => {
    const before = await printed('--host', 'crm.example.com', '--replicated', '--replica', '/mnt/copy')
    const after = await printed('--host', 'crm.example.com')
    const asked: string[] = []
    const says = (yes: boolean) => async (question: string) => {
      asked.push(question)
      return yes
    }
    const refusal = {
      status: 409,
      code: 'options_would_go',
      message: /has --replicated, --replica, which.*nothing was changed/,
    }
    await assert.rejects(confirmLoss(after, before, undefined), refusal)
    await assert.rejects(confirmLoss(after, before, says(false)), refusal)
    await confirmLoss(after, before, says(true))
    assert.match(asked[0] ?? '', /^The service has --replicated, --replica, .*Go on without\?$/)
    for (const [next, old] of [
      [before, after],
      ['', before],
      [after, ''],
    ])
      await confirmLoss(next as string, old as string, undefined)
    assert.equal(asked.length, 2)
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
  for (const [name, argv] of [
    ['as it is', []],
    ['with its own certificate on port 443', ['--screens-listen', '0.0.0.0:443', '--tls-cert', cert, '--tls-key', key]],
    ['with another user', ['--user', 'crm']],
    ['with places that are away', ['--backup-copy-to', '/mnt/away/crm', '--replicated', '--replica', '/mnt/gone/crm']],
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

test('a program that cannot be started, as for want of memory, is no reason to end the server', () => {
  const lines: { msg: string; err: { code: string } }[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const spawnNone = () => {
    throw Object.assign(new Error('spawn ENOMEM'), { code: 'ENOMEM' })
  }
  tellServiceManager({ NOTIFY_SOCKET: '/none' }, log, spawnNone as never)
  assert.deepEqual(
    lines.map(({ msg, err }) => [msg, err.code]),
    [['systemd was not told READY=1', 'ENOMEM']],
  )
})

test('the server tells systemd that it is ready, and then again and again that it runs, also without its second places', {
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
  const listen = ['--api-listen', '127.0.0.1:0', '--screens-listen', '127.0.0.1:0']
  const away = ['--backup-copy-to', join(folder, 'away'), '--backup-dir', join(folder, 'gone')]
  const server = spawn(process.execPath, [MAIN, 'serve', '--data', join(folder, 'data'), ...listen, ...away], {
    env,
    stdio: 'ignore',
  })
  t.after(() => server.kill('SIGKILL'))
  await until(/READY=1.*(WATCHDOG=1.*){3}/s)
  server.kill('SIGTERM')
  assert.deepEqual(await once(server, 'exit'), [0, null])
})

test('.ci/container runs what compose.yaml says, and fails where that has what it does not know', () => {
  const root = join(import.meta.dirname, '../..')
  const compose = readFileSync(join(root, 'compose.yaml'), 'utf8')
  const flagsOf = (text: string) => {
    const file = join(folder, 'compose.yaml')
    writeFileSync(file, text)
    const { status, stdout, stderr } = spawnSync('bash', [join(root, '.ci/compose-flags'), file, 'of-test'])
    return { status, flags: String(stdout).trimEnd().split('\n'), said: String(stderr) }
  }
  const { status, flags, said } = flagsOf(compose)
  assert.deepEqual([status, said], [0, ''])
  assert.deepEqual(flags, [
    ...['--stop-timeout', '30', '--env', 'DEALBOX_HOST=', '--env', 'DEALBOX_BASE_PATH=', '--env'],
    ...['DEALBOX_TRUST_PROXY=127.0.0.0/8,own-networks', '--volume', 'of-test:/data', '--read-only'],
    ...['--tmpfs', '/tmp', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges:true'],
  ])
  for (const line of [
    ...[
      '    privileged: true',
      '    read_only: false',
      '    network_mode: host',
      '    healthcheck:\n      disable: true',
    ],
    ...['    cap_add:\n      - ALL', '  other:', '    environment:\n      A: $B'],
  ]) {
    const refused = flagsOf(compose.replace('    restart:', `${line}\n    restart:`))
    assert.deepEqual([refused.status, /not known|not understood|are known here/.test(refused.said)], [1, true], line)
  }
  assert.match(readFileSync(join(root, '.ci/container'), 'utf8'), /^flags=\$\(bash \.ci\/compose-flags compose\.yaml /m)
})
