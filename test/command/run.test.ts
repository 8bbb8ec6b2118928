import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { version } from '../../src/assets.ts'
import { commands } from '../../src/cli/commands.ts'
import { command, json } from '../../src/command/command.ts'
import { parseListen } from '../../src/command/config/options.ts'
import { conflict, field, invalid } from '../../src/lib/problem.ts'
import { cli } from '../cli/command-line.ts'

/** Answers what it was given, or fails as it is told. */
const echo = command({
  name: 'echo',
  summary: 'Say what was given',
  args: { word: 'what to say' },
  options: {
    apiListen: { type: 'string', placeholder: 'HOST:PORT', default: '127.0.0.1:8080', help: 'an address' },
    fail: { type: 'string', help: 'how' },
    loud: { type: 'boolean', help: 'say it loudly' },
    json,
  },
  run: ({ options, args }) => {
    if (options.fail === 'state') throw conflict('taken', 'The word is taken.', { by: 'someone' })
    if (options.fail === 'fields') throw invalid(field('/a', 'x', 'is one'), field('/b', 'y', 'is two'))
    if (options.fail === 'bug') throw new TypeError('a mistake of ours')
    if (options.fail === 'busy') throw Object.assign(new Error('locked'), { code: 'SQLITE_BUSY' })
    return { json: { ...options, ...args }, text: args.word, note: 'That was it.' }
  },
})
const needy = command({
  name: 'needy ask',
  summary: 'Ask for an email',
  options: { email: { type: 'string', required: true, help: 'of anyone' } },
  run: ({ options }) => ({ json: options, text: options.email }),
})
const toys = [echo, needy]

async function usageError(argv: string[], sentence: RegExp, env = {}): Promise<void> {
  const { code, out, err } = await cli(argv, env, toys)
  assert.equal(code, 2, err)
  assert.equal(out, '')
  assert.match(err, sentence)
  assert.match(err, /^[^\n]+ See "dealbox [^"]*--help"\.\n$/)
}

const given = async (argv: string[], env = {}) => JSON.parse((await cli([...argv, '--json'], env, toys)).out)

describe('help', () => {
  test('dealbox alone, and with --help, lists every command', async () => {
    const alone = await cli([])
    assert.equal(alone.code, 0)
    for (const { name, summary } of commands) {
      assert.ok(alone.out.includes(`dealbox ${name} `) && alone.out.includes(summary), name)
    }
    assert.deepEqual(await cli(['--help']), alone)
    assert.deepEqual(await cli(['-h']), alone)
  })

  test('every command explains itself, with its options and their variables', async () => {
    for (const { name, options, args } of commands) {
      const { code, out } = await cli([...name.split(' '), '--help'])
      assert.equal(code, 0)
      assert.ok(out.startsWith(`Usage: dealbox ${name}`), out)
      assert.match(out, /--data DIR +DEALBOX_DATA +the data folder.* \(default \S+\)/)
      for (const option of Object.values(options)) assert.ok(out.includes(option.help), `${name}: ${option.help}`)
      for (const arg of Object.keys(args)) assert.ok(out.includes(arg.toUpperCase()), `${name}: ${arg}`)
    }
    const { out } = await cli(['echo', '--help'], {}, toys)
    assert.match(out, /^Usage: dealbox echo WORD \[options\]\n/)
    assert.match(out, /--api-listen HOST:PORT +DEALBOX_API_LISTEN +an address \(default 127\.0\.0\.1:8080\)/)
    const asked = await cli(['needy', 'ask', '-h'], {}, toys)
    assert.match(asked.out, /^Usage: dealbox needy ask --email EMAIL \[options\]\n/)
    assert.match(asked.out, /of anyone \(required\)/)
  })

  test('a word with verbs lists those', async () => {
    const { code, out } = await cli(['token', '--help'])
    assert.equal(code, 0)
    for (const verb of ['create', 'list', 'revoke']) assert.ok(out.includes(`dealbox token ${verb} `), out)
    assert.doesNotMatch(out, /dealbox init/)
  })

  test('the version stands alone on its line', async () => {
    assert.deepEqual(await cli(['--version']), { code: 0, out: `${version}\n`, err: '' })
  })
})

describe('a command line that is wrong', () => {
  test('names the commands or verbs there are', async () => {
    await usageError(['ech'], /There is no command "ech"\. Commands are: echo, needy\./)
    await usageError(['--data', 'x'], /There is no command "--data"/)
    await usageError(['needy'], /"dealbox needy" needs one of ask\. See "dealbox needy --help"/)
    await usageError(['needy', '--json'], /"dealbox needy" needs one of ask\./)
    await usageError(['needy', 'beg'], /There is no "dealbox needy beg"\. Use one of ask\./)
  })

  test('names the options there are', async () => {
    await usageError(
      ['echo', 'a', '--lout'],
      /no option --lout here\. Options are: --api-listen, --fail, --loud, --json, --data, --config, --help\. See "dealbox echo --help"/,
    )
    await usageError(['echo', 'a', '-x'], /no option -x here/)
    await usageError(['echo', 'a', '--apiListen=x'], /no option --apiListen here/)
    await usageError(['echo', 'a', '--constructor'], /no option --constructor here/)
  })

  test('says which value is missing, or one too many', async () => {
    await usageError(['echo', 'a', '--fail'], /--fail FAIL needs a value/)
    await usageError(['echo', 'a', '--fail='], /--fail FAIL needs a value/)
    await usageError(['echo', 'a', '--fail', '--loud'], /--fail FAIL needs a value/)
    await usageError(['echo', 'a', '--loud=yes'], /--loud takes no value/)
    await usageError(['echo', 'a', '--loud', '--loud'], /--loud is given more than once/)
    await usageError(['needy', 'ask'], /--email EMAIL is missing/)
  })

  test('says which argument is missing, or one too many', async () => {
    await usageError(['echo'], /WORD is missing: what to say\./)
    await usageError(['echo', 'a', 'b'], /"b" is one argument too many; this command takes WORD\./)
    await usageError(
      ['needy', 'ask', 'x', '--email', 'e'],
      /"x" is one argument too many; this command takes no arguments\./,
    )
  })
})

describe('an option', () => {
  test('has its default, and a boolean is false', async () => {
    assert.deepEqual(await given(['echo', 'a']), {
      apiListen: '127.0.0.1:8080',
      loud: false,
      json: true,
      data: './dealbox-data',
      word: 'a',
    })
  })

  test('comes from the flag, else from the environment, else it has its default', async () => {
    const env = { DEALBOX_API_LISTEN: '0.0.0.0:1', DEALBOX_LOUD: 'true', DEALBOX_DATA: '/srv' }
    const seen = await given(['echo', 'a'], env)
    assert.deepEqual([seen.apiListen, seen.loud, seen.data], ['0.0.0.0:1', true, '/srv'])
    assert.equal((await given(['echo', 'a', '--api-listen', '[::1]:2'], env)).apiListen, '[::1]:2')
    assert.equal((await given(['echo', '--api-listen=[::1]:2', 'a'], env)).apiListen, '[::1]:2')
    assert.equal((await given(['echo', 'a'], { DEALBOX_API_LISTEN: '' })).apiListen, '127.0.0.1:8080')
    assert.equal((await cli(['needy', 'ask'], { DEALBOX_EMAIL: 'a@b.example' }, toys)).out, 'a@b.example\n')
  })

  test('that is a boolean takes true, false, 1 and 0 from the environment', async () => {
    for (const [text, value] of [
      ['true', true],
      ['1', true],
      ['false', false],
      ['0', false],
    ] as const) {
      assert.equal((await given(['echo', 'a'], { DEALBOX_LOUD: text })).loud, value)
    }
    assert.equal((await given(['echo', 'a', '--loud'], { DEALBOX_LOUD: '0' })).loud, true)
    await usageError(['echo', 'a'], /DEALBOX_LOUD is "yes" and must be true, false, 1 or 0/, { DEALBOX_LOUD: 'yes' })
  })

  test('does not stand behind --, where everything is an argument', async () => {
    assert.equal((await cli(['echo', '--', '--help'], {}, toys)).out, '--help\n')
    assert.equal((await cli(['echo', '-'], {}, toys)).out, '-\n')
  })
})

describe('the answer', () => {
  test('is text with a note on stderr, or one JSON document without it', async () => {
    assert.deepEqual(await cli(['echo', 'a'], {}, toys), { code: 0, out: 'a\n', err: 'That was it.\n' })
    const { out, err } = await cli(['echo', 'a', '--json'], {}, toys)
    assert.equal(JSON.parse(out).word, 'a')
    assert.equal(err, '')
  })

  test('of a refusal is its sentence, or its JSON, and exit code 1', async () => {
    assert.deepEqual(await cli(['echo', 'a', '--fail', 'state'], {}, toys), {
      code: 1,
      out: '',
      err: 'The word is taken.\n',
    })
    const { code, out, err } = await cli(['echo', 'a', '--fail', 'state', '--json'], {}, toys)
    assert.equal(code, 1)
    assert.equal(out, '')
    assert.deepEqual(JSON.parse(err), {
      type: 'urn:dealbox:problem:taken',
      status: 409,
      detail: 'The word is taken.',
      code: 'taken',
      by: 'someone',
    })
  })

  test('of several field errors names them all', async () => {
    const { err } = await cli(['echo', 'a', '--fail', 'fields'], {}, toys)
    assert.equal(err, '2 fields are invalid.\n  /a is one\n  /b is two\n')
    const json = await cli(['echo', 'a', '--fail', 'fields', '--json'], {}, toys)
    assert.equal(JSON.parse(json.err).errors.length, 2)
  })

  test('of a database that another command holds is a sentence, of a mistake of ours the stack', async () => {
    const busy = await cli(['echo', 'a', '--fail', 'busy'], {}, toys)
    assert.equal(busy.code, 1)
    assert.match(busy.err, /^Another command holds the database[^\n]*\n$/)
    const bug = await cli(['echo', 'a', '--fail', 'bug'], {}, toys)
    assert.equal(bug.code, 1)
    assert.match(bug.err, /^TypeError: a mistake of ours\n +at /)
  })
})

test('an address to listen on is read as host and port', () => {
  assert.deepEqual(parseListen('127.0.0.1:8080'), { host: '127.0.0.1', port: 8080 })
  assert.deepEqual(parseListen('localhost:0'), { host: 'localhost', port: 0 })
  assert.deepEqual(parseListen('[::1]:65535'), { host: '::1', port: 65535 })
  assert.equal(parseListen('off'), null)
  for (const text of ['', '8080', ':8080', 'host', 'host:', 'host:65536', '::1:80', 'http://host:80', 'a b:80']) {
    assert.throws(() => parseListen(text), { code: 'usage' }, text)
  }
})
