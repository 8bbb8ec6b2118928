import assert from 'node:assert/strict'
import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { catalog } from '../src/app/api.ts'
import { applySettings } from '../src/app/settings/document.ts'
import { commands } from '../src/cli/commands.ts'
import { newSecret, signedHeaders } from '../src/events/signature.ts'
import { cli, cliJson } from './cli/command-line.ts'
import { conformance } from './support/conformance.ts'
import { inboxOf } from './support/inbox.ts'
import { setMailboxes } from './support/mailbox.ts'
import { MAIN } from './support/program.ts'
import { startServer, type TestServer } from './support/server.ts'

// Every command of the README, and of the pages that it leads to, is run as it is printed.

const exec = promisify(execFile)
const root = join(import.meta.dirname, '..')
const PAGES = [
  'README.md',
  'docs/inbox.md',
  'docs/mail.md',
  'docs/webhooks.md',
  'docs/imports.md',
  'docs/audit.md',
  'docs/configuration.md',
  'docs/api.md',
]
const readme = PAGES.map((page) => readFileSync(join(root, page), 'utf8')).join('\n')
const blocks = [...readme.matchAll(/```sh\n(.*?)```/gs)].map(([, text]) => text as string)
const hasShell = process.platform !== 'win32'

let server: TestServer
let folder: string
before(async () => {
  server = await startServer()
  folder = mkdtempSync(join(tmpdir(), 'dealbox-readme-'))
})
after(async () => {
  await server.stop()
  rmSync(folder, { recursive: true })
})

test('the tour works as it is printed', { skip: hasShell ? false : 'needs a POSIX shell' }, async () => {
  const tour = blocks.find((block) => block.includes('demo-token')) as string
  mkdirSync(join(folder, 'dealbox-data'))
  writeFileSync(join(folder, 'dealbox-data/demo-token'), server.a.token)
  const lines = tour
    .replace('http://127.0.0.1:8080', server.url)
    .replaceAll('curl -s', "curl -s -w '\\n%{http_code}\\n'")
  const { stdout } = await exec('sh', ['-ec', lines], { cwd: folder })
  assert.deepEqual(stdout.match(/^\d{3}$/gm), ['200', '201', '200', '201', '200'])
})

test('the inbox works as it is printed', { skip: hasShell ? false : 'needs a POSIX shell' }, async () => {
  const block = blocks.find((each) => each.includes('/conversations?')) as string
  const lines = block.replaceAll('curl -s', "curl -s -w '\\n%{http_code}\\n'")
  const env = { ...process.env, TOKEN: server.a.token, API: `${server.url}/api/v1` }
  const { stdout } = await exec('sh', ['-ec', lines], { cwd: folder, env })
  assert.deepEqual(stdout.match(/^\d{3}$/gm), ['200', '200', '201', '200', '200', '200', '200'])
})

test('a reply is held and taken back as it is printed', {
  skip: hasShell ? false : 'needs a POSIX shell',
}, async () => {
  setMailboxes(server)
  const { say, get } = inboxOf(server)
  const asked = await say('inbound', undefined, { channel: 'email' })
  const block = blocks.find((each) => each.includes('held.json')) as string
  // The clock of the server is another one than that of the shell.
  const lines = block.replace(/\$\(date [^)]*\)/, new Date(server.now() + 86_400_000).toISOString())
  const env = { ...process.env, TOKEN: server.a.token, API: `${server.url}/api/v1` }
  const { stdout } = await exec('sh', ['-ec', lines], { cwd: folder, env })
  const { conversation_id, send_at, body_text } = JSON.parse(stdout)
  assert.deepEqual([conversation_id, body_text, send_at !== null], [asked.conversation_id, 'Good morning!', true])
  assert.equal((await get(`/conversations/${conversation_id}/messages`)).data.length, 1)
})

test('a message is forwarded as it is printed', { skip: hasShell ? false : 'needs a POSIX shell' }, async () => {
  setMailboxes(server)
  const asked = await inboxOf(server).say('inbound', undefined, { channel: 'email' })
  const block = blocks.find((each) => each.includes('forwards_message_id')) as string
  const { token } = server.a
  const env = { ...process.env, TOKEN: token, API: `${server.url}/api/v1`, CONVERSATION: asked.conversation_id }
  const { stdout } = await exec('sh', ['-ec', block], { cwd: folder, env })
  const { forwards_message_id, to } = JSON.parse(stdout)
  assert.deepEqual([forwards_message_id, to[0].email], [asked.id, 'parts@supply.example'])
})

test('every mailbox of the pages can be set up as it is printed', () => {
  const documents = [...readme.matchAll(/```json\n(.*?)```/gs)].flatMap(([, text]) => {
    const { mailboxes } = JSON.parse(text as string) as { mailboxes?: object[] }
    return mailboxes ? [{ mailboxes }] : []
  })
  Object.assign(process.env, { SUPPORT_PASSWORD: 'secret', GOOGLE_SECRET: 'secret' })
  assert.equal(documents.length, 5)
  for (const document of documents) applySettings(server.store, server.b.org, document)
})

test('files are sent and downloaded as it is printed', {
  skip: hasShell ? false : 'needs a POSIX shell',
}, async () => {
  const block = blocks.find((each) => each.includes('packing-list')) as string
  const env = { ...process.env, TOKEN: server.a.token, API: `${server.url}/api/v1` }
  const [commands, serve] = block.split('dealbox serve ')
  await exec('sh', ['-ec', commands as string], { cwd: folder, env })
  assert.equal(readFileSync(join(folder, 'copy.txt'), 'utf8'), '12 boxes, 240 kg\n')
  const wrong = (serve as string).trim().replace('50M', '0M').split(' ')
  const argv = [MAIN, 'serve', '--data', join(folder, 'none'), ...wrong]
  await assert.rejects(exec(process.execPath, argv), {
    code: 2,
    stderr: /--max-attachments must be a size from 1M to 100M/,
  })
})

test('mail and sequences are set up as it is printed, and work', {
  skip: hasShell ? false : 'needs a POSIX shell',
}, async () => {
  const document = [...readme.matchAll(/```json\n(.*?)```/gs)].find(
    ([, text]) => 'mailboxes' in JSON.parse(text as string),
  )?.[1]
  const hours = [{ key: 'office', name: 'Office', timezone: 'Europe/Berlin', weekly: {} }]
  process.env.SUPPORT_PASSWORD = 'secret'
  applySettings(server.store, server.a.org, { hours, ...JSON.parse(document as string) })
  const block = blocks.find((each) => each.includes('/performance')) as string
  const lines = block.replaceAll('curl -s', "curl -s -w '\\n%{http_code}\\n'")
  const env = { ...process.env, TOKEN: server.a.token, API: `${server.url}/api/v1` }
  const { stdout } = await exec('sh', ['-ec', lines], { cwd: folder, env })
  assert.deepEqual(stdout.match(/^\d{3}$/gm), ['200', '200', '200'])
  assert.match(stdout, /"reply_rate":null/)
})

test('events are subscribed to and polled as it is printed', {
  skip: hasShell ? false : 'needs a POSIX shell',
}, async () => {
  const block = blocks.find((each) => each.includes('/webhooks/events')) as string
  const lines = block.replaceAll('curl -s', "curl -s -w '\\n%{http_code}\\n'")
  const env = { ...process.env, TOKEN: server.a.token, API: `${server.url}/api/v1` }
  const { stdout } = await exec('sh', ['-ec', lines], { cwd: folder, env })
  assert.deepEqual(stdout.match(/^\d{3}$/gm), ['201', '200', '200'])
})

test('a first program works as it is printed', { skip: hasShell ? false : 'needs a POSIX shell' }, async () => {
  const block = blocks.find((each) => each.includes('/members/me')) as string
  const lines = block.replaceAll('curl -s', "curl -s -w '\\n%{http_code}\\n'")
  const env = { ...process.env, TOKEN: server.a.token, API: `${server.url}/api/v1` }
  const { stdout } = await exec('sh', ['-ec', lines], { cwd: folder, env })
  assert.deepEqual(stdout.match(/^\d{3}$/gm), ['200', '200', '200', '422'])
  assert.match(readFileSync(join(folder, 'deal.json'), 'utf8'), /"amount":1200\b.*\n201\n$/)
  assert.match(stdout, /"amount":1500\b/)
})

const snippet = (language: string): string =>
  new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 's').exec(readme)?.[1] as string

test('the event of the pages is one that webhooks receive', () => {
  const events = [...readme.matchAll(/```json\n(.*?)```/gs)].map(([, text]) => JSON.parse(text as string))
  const shown = events.filter(({ type }) => type)
  assert.deepEqual(
    shown.map(({ type }) => type),
    ['tag.updated'],
  )
  conformance(catalog(server.deps)).received(shown[0])
})

/** What a receiver gets, and whether it may believe it. */
function deliveries(): { headers: Record<string, string>; body: string; isGenuine: boolean }[] {
  const body = '{"title":"Zoë’s \\"deal\\""}'
  const sent = (at: number, secrets = [SECRET]) => signedHeaders({ id: 'event-1', at, body }, secrets)
  const now = sent(Date.now())
  const genuine = [now, sent(Date.now(), [newSecret(), SECRET])]
  const wrong = [
    ...[sent(Date.now(), [newSecret()]), sent(Date.now() - 301_000), sent(Date.now() + 310_000)],
    ...[
      { ...now, 'webhook-id': 'event-2' },
      { ...now, 'webhook-signature': 'v1,' },
      { ...now, 'webhook-signature': 'é' },
      {},
    ],
  ]
  return [
    ...genuine.map((headers) => ({ headers, body, isGenuine: true })),
    ...wrong.map((headers) => ({ headers, body, isGenuine: false })),
    { headers: now, body: body.replace('deal', 'Deal'), isGenuine: false },
  ]
}
const SECRET = newSecret()

test('the lines for Node tell what is genuine', async () => {
  const file = join(folder, 'verify.mjs')
  writeFileSync(file, snippet('js'))
  const { isGenuine } = await import(pathToFileURL(file).href)
  for (const each of deliveries())
    assert.equal(isGenuine(SECRET, each.headers, Buffer.from(each.body)), each.isGenuine, JSON.stringify(each))
})

test('the lines for Python tell what is genuine', {
  skip: hasPython() ? false : 'needs Python 3.9',
}, async () => {
  const ask = 'import json, sys\nfor each in json.load(open(sys.argv[1])):\n'
  const answer = '    print(is_genuine(sys.argv[2], each["headers"], each["body"].encode()))\n'
  writeFileSync(join(folder, 'verify.py'), `${snippet('python')}\n${ask}${answer}`)
  const all = deliveries()
  writeFileSync(join(folder, 'deliveries.json'), JSON.stringify(all))
  const { stdout } = await exec('python3', ['verify.py', 'deliveries.json', SECRET], { cwd: folder })
  assert.deepEqual(
    stdout.trim().split(/\s+/),
    all.map(({ isGenuine }) => (isGenuine ? 'True' : 'False')),
  )
})

function hasPython(): boolean {
  return spawnSync('python3', ['-c', '"".removeprefix("")']).status === 0
}

test('a copy of the records is joined with the stream as it is printed', {
  skip: hasShell ? false : 'needs a POSIX shell',
}, async () => {
  const block = blocks.find((each) => each.includes('after_seq=latest')) as string
  const lines = block.replaceAll('curl -s', "curl -s -w '\\n%{http_code}\\n'")
  const env = { ...process.env, TOKEN: server.a.token, API: `${server.url}/api/v1` }
  const { stdout } = await exec('sh', ['-ec', `${lines}\necho "seq=$seq"`], { cwd: folder, env })
  assert.deepEqual(stdout.match(/^\d{3}$/gm), ['200', '200', '200'])
  const [{ data: deals }, stream, latest] = stdout
    .split('\n')
    .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []))
  const newest = Number(/^seq=(\d+)$/m.exec(stdout)?.[1])
  assert.ok(deals.length > 0 && newest > 0)
  for (const { data, last_seq } of [stream, latest]) assert.deepEqual([data, last_seq], [[], newest])
})

test('the first start prints a link that makes the first account', {
  skip: hasShell ? false : 'needs a POSIX shell',
}, async () => {
  const line = blocks.map((block) => block.trim()).find((block) => block === 'dist/dealbox serve') as string
  mkdirSync(join(folder, 'dist'))
  writeFileSync(join(folder, 'dist/dealbox'), `#!/bin/sh\nexec "${process.execPath}" "${MAIN}" "$@"\n`)
  chmodSync(join(folder, 'dist/dealbox'), 0o755)
  rmSync(join(folder, 'dealbox-data'), { recursive: true, force: true })
  const env = { ...process.env, DEALBOX_API_LISTEN: '127.0.0.1:0', DEALBOX_SCREENS_LISTEN: '127.0.0.1:0' }
  const server = spawn('sh', ['-ec', `exec ${line}`], { cwd: folder, env })
  const ended = once(server, 'exit')
  try {
    let printed = ''
    for await (const chunk of server.stdout) {
      printed += chunk
      if (/http:\/\/127\.0\.0\.1:\d+\/setup#[\w-]{43}/.test(printed)) return
    }
    assert.fail(`no link in: ${printed}`)
  } finally {
    server.kill()
    await ended
  }
})

test('data comes in and goes out as it is printed', { skip: hasShell ? false : 'needs a POSIX shell' }, async () => {
  rmSync(join(folder, 'dealbox-data'), { recursive: true, force: true })
  await exec(join(folder, 'dist/dealbox'), ['init', '--org', 'O', '--email', 'ana@example.com'], { cwd: folder })
  const block = blocks.find((each) => each.includes('import contacts')) as string
  const { stdout } = await exec('sh', ['-ec', block], { cwd: folder })
  assert.match(stdout, /1 created/i)
  assert.match(readFileSync(join(folder, 'everything/contacts.ndjson'), 'utf8'), /ana@northwind\.example/)
})

test('files of another product come in as it is printed', {
  skip: hasShell ? false : 'needs a POSIX shell',
}, async () => {
  const block = blocks.filter((each) => each.includes('companies.csv')).join('')
  // The shell reads the commands, one word per line, and each runs in this process.
  const words = `dealbox() { printf '%s\\n' "$@" ''; }\n${block}`
  const { stdout } = await exec('sh', ['-ec', words], { cwd: folder })
  const at = ['--data', join(folder, 'imported')]
  await cliJson('init', '--org', 'O', '--email', 'ana@example.com', ...at)
  let printed = ''
  for (const command of stdout.trim().split('\n\n')) {
    const argv = command.split('\n').map((word) => (word.endsWith('.csv') ? join(folder, word) : word))
    const { code, out, err } = await cli([...argv, ...at])
    assert.equal(code, 0, err)
    printed += out
  }
  assert.deepEqual(printed.match(/^(?:Rows|Would be): .*/gm), [
    'Would be: 1 created, 0 updated, 0 unchanged, 1 rejected.',
    'Rows: 2 created, 0 updated, 0 unchanged, 0 rejected.',
    'Rows: 2 created, 0 updated, 0 unchanged, 0 rejected.',
    'Rows: 2 created, 0 updated, 0 unchanged, 0 rejected.',
    'Rows: 0 created, 0 updated, 2 unchanged, 0 rejected.',
  ])
  assert.match(printed, /^Also made: 1 contact, 1 stage\.$/m)
  assert.match(readFileSync(join(folder, 'companies.left-out.csv'), 'utf8'), /about 30.*\r\n.*max@old\.example/s)
})

test('the table names every command that there is, and no other', () => {
  const cells = [...readme.matchAll(/^\| (`[^-|][^|]+) \|/gm)].map(([, cell]) => cell as string)
  const rows = cells.filter((cell) => !/^`[A-Z_]+`$/.test(cell)) // variables of the environment have a table, too
  const named = rows.flatMap((row) => {
    const [first = '', ...more] = [...row.matchAll(/`([^`]+)`/g)].map(([, name]) =>
      (name as string).replace(/ [A-Z]+$/, ''),
    )
    const group = first.split(' ')[0]
    return [
      first,
      ...more.map((name) => (commands.some((command) => command.name === name) ? name : `${group} ${name}`)),
    ]
  })
  assert.deepEqual(named.sort(), commands.map(({ name }) => name).sort())
})

test('every script and every file that it names is there', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  for (const [, name] of readme.matchAll(/npm run (?:-s )?([a-z]+)/g))
    assert.ok(scripts[name as string], `npm run ${name}`)
  for (const page of [...PAGES, 'docs/glossary.md', 'docs/backups.md']) {
    const text = readFileSync(join(root, page), 'utf8')
    for (const [, path = ''] of text.matchAll(/\]\((?!https?:)([\w./-]+)[^)]*\)/g))
      assert.ok(existsSync(join(root, page, '..', path)), `${page}: ${path}`)
  }
})
