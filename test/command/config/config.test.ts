import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { commands } from '../../../src/cli/commands.ts'
import { prepareEmptyFolder } from '../../../src/cli/serve/setup.ts'
import { type Command, command, json, optionsOf } from '../../../src/command/command.ts'
import { flagOf, keyOf, type Option, type Value, variableOf } from '../../../src/command/config/options.ts'
import { readConfig } from '../../../src/command/config/read.ts'
import type { Environment } from '../../../src/lib/machine/environment.ts'
import { nearest } from '../../../src/lib/nearest.ts'
import { cli, temporaryFolder } from '../../cli/command-line.ts'

// Where the values of options come from, and what a configuration file may have.

const folder = temporaryFolder()
const known = optionsOf(commands)
let files = 0

/** Writes a configuration file in a data folder of its own. */
function dataWith(content: unknown, mode = 0o600): { data: string; path: string } {
  const data = join(folder, `data-${++files}`)
  mkdirSync(data)
  const path = join(data, 'dealbox.json')
  const isRaw = typeof content === 'string' || content instanceof Buffer
  writeFileSync(path, isRaw ? content : JSON.stringify(content))
  chmodSync(path, mode)
  return { data, path }
}

/** Two values of an option, each as a value, in a file, in the environment and on the command line. */
const example = ({ type }: Option, number: number) => {
  if (type === 'boolean') return { value: true, file: true, variable: 'true', flag: [] }
  const text = `value ${number}`
  if (type === 'string') return { value: text, file: text, variable: text, flag: [text] }
  return { value: [text, 'more'], file: [text, 'more'], variable: `${text}\nmore`, flag: [text, 'more'] }
}

describe('every option of every command', () => {
  test('has one type and one degree of secrecy, whichever command it is of', () => {
    for (const { name: of, options } of commands)
      for (const [name, { type, secret }] of Object.entries(options))
        assert.deepEqual([type, secret], [known[name]?.type, known[name]?.secret], `${of} ${flagOf(name)}`)
  })

  test('has a variable of its own that every shell can set', () => {
    const variables = Object.keys(known).map(variableOf)
    for (const variable of variables) assert.match(variable, /^DEALBOX_[A-Z0-9_]+$/)
    assert.equal(new Set(variables).size, variables.length)
  })

  test('that is a secret has a variable for its file that no other option has', () => {
    const variables = Object.keys(known).map(variableOf)
    const secrets = Object.keys(known).filter((name) => known[name]?.secret)
    assert.ok(secrets.length > 0)
    for (const name of secrets) assert.ok(!variables.includes(`${variableOf(name)}_FILE`), name)
  })

  test('comes from the flag, else the environment, else the file, else it has its default', () => {
    const inFile = Object.entries(known).filter(([name, { once }]) => name !== 'data' && name !== 'config' && !once)
    const content = Object.fromEntries(inFile.map(([name, option]) => [keyOf(name), example(option, 1).file]))
    const { data, path } = dataWith(content)
    let tried = 0
    for (const { name: of, options, args } of commands) {
      const words = Object.keys(args)
      const read = (argv: string[], env: Environment) =>
        readConfig({ options, args }, { argv: [...words, ...argv], env, known })
      for (const [name, option] of inFile.filter(([name]) => name in options)) {
        const at = `${of} ${flagOf(name)}`
        const [one, other, third] = [1, 2, 3].map((number) => example(option, number)) as [Example, Example, Example]
        const variable = variableOf(name)
        const flag = third.flag.length === 0 ? [flagOf(name)] : third.flag.flatMap((value) => [flagOf(name), value])
        const check = (
          argv: string[],
          env: Environment,
          value: Value | undefined,
          from: string,
          where: string | null,
        ) => {
          const config = read(argv, { DEALBOX_DATA: data, ...env })
          assert.deepEqual(config.found.get(name), { value, from, where }, at)
          assert.deepEqual((config.options as Record<string, unknown>)[name], value, at)
        }
        check([], {}, one.value, 'file', path)
        check([], { [variable]: other.variable }, other.value, 'environment', variable)
        check(flag, { [variable]: other.variable }, third.value, 'flag', flagOf(name))
        if (!Object.values(options).some(({ required }) => required)) {
          const none = { string: undefined, boolean: false, strings: [] }[option.type]
          check([], { DEALBOX_DATA: folder }, options[name]?.default ?? none, 'default', null)
        }
        tried++
      }
    }
    assert.ok(tried > 100)
  })

  test('about one start is taken from the command line alone', () => {
    const options = { isOff: { type: 'boolean', once: true, help: '' }, data: { type: 'string', help: '' } } as const
    const { data, path } = dataWith({ 'is-off': true })
    const read = (argv: string[], env: Environment) => readConfig({ options, args: {} }, { argv, env, known: options })
    assert.equal(read(['--is-off'], { DEALBOX_DATA: data }).options.isOff, true)
    const refusal = (where: string) => ({
      code: 'usage',
      message: new RegExp(`only for the command line.*out of ${where}`),
    })
    assert.throws(() => read([], { DEALBOX_DATA: data }), refusal(path))
    assert.throws(() => read([], { DEALBOX_DATA: folder, DEALBOX_IS_OFF: '1' }), refusal('DEALBOX_IS_OFF'))
  })

  type Example = ReturnType<typeof example>
})

const toy = command({
  name: 'toy',
  summary: 'Show options',
  options: {
    listenAt: { type: 'string', help: 'an address', default: 'here' },
    count: { type: 'string', help: 'a number' },
    loud: { type: 'boolean', help: 'shout' },
    names: { type: 'strings', help: 'some names' },
    apiToken: { type: 'string', secret: true, help: 'a secret' },
    json,
  },
  run: ({ options }) => ({ json: options, text: 'done' }),
})
const other = command({
  name: 'other one',
  summary: 'Another',
  options: { listenAt: { type: 'string', help: 'an address', default: 'there' }, depth: { type: 'string', help: 'x' } },
  run: () => ({ json: null, text: '' }),
})
const show = commands.find(({ name }) => name === 'config show') as Command
const toys = [toy, other, show]

async function values(argv: readonly string[], env: Environment = {}) {
  const { code, out, err } = await cli(['toy', '--json', ...argv], env, toys)
  assert.equal(code, 0, err)
  return JSON.parse(out)
}

async function refused(argv: readonly string[], message: RegExp, env: Environment = {}) {
  const { code, out, err } = await cli(['toy', ...argv], env, toys)
  assert.deepEqual([code, out], [2, ''])
  assert.match(err, message)
}

describe('a configuration file', () => {
  test('has texts, numbers, booleans and lists, also of other commands', async () => {
    const { data } = dataWith({ 'listen-at': 'there', count: 12.5, loud: true, names: ['a', 'b'], depth: 3 })
    const { listenAt, count, loud, names } = await values(['--data', data])
    assert.deepEqual([listenAt, count, loud, names], ['there', '12.5', true, ['a', 'b']])
    assert.equal((await values(['--data', data], { DEALBOX_LOUD: 'false' })).loud, false)
    assert.deepEqual((await values(['--data', data, '--names', 'c'])).names, ['c'])
  })

  test('is dealbox.json in the data folder, or the one that --config names', async () => {
    const { data } = dataWith({ count: '1' })
    const { path } = dataWith({ count: '2', data })
    assert.equal((await values(['--data', data])).count, '1')
    assert.deepEqual(await values(['--config', path]), {
      ...(await values(['--data', data])),
      count: '2',
      config: path,
    })
    assert.equal((await values([], { DEALBOX_CONFIG: path })).count, '2')
    assert.equal((await values(['--config', path, '--data', folder])).data, folder)
    assert.equal((await values(['--data', join(folder, 'none')])).count, undefined)
    await refused(
      ['--config', join(folder, 'none.json')],
      /The configuration file .*none\.json cannot be read \(ENOENT\)/,
    )
  })

  const wrong: [string, unknown, RegExp][] = [
    [
      'an unknown key',
      { 'listen-to': 'x' },
      /dealbox\.json has the unknown key "listen-to"\. The nearest one is "listen-at"/,
    ],
    ['a key as in the code', { apiTokn: 'x' }, /The nearest one is "api-token"/],
    ['a text for a boolean', { loud: 'yes' }, /"loud" in .*dealbox\.json must be true or false/],
    ['a boolean for a text', { count: false }, /"count" in .* must be a text or a number/],
    ['null', { count: null }, /must be a text or a number/],
    ['a number that is not exact', '{"count": 12345678901234567890.5}', /must be a text or a number/],
    ['an empty text', { count: '' }, /must not be empty\. Leave the key out/],
    ['a text for a list', { names: 'a' }, /must be a list of texts/],
    ['an empty text in a list', { names: ['a', ''] }, /must be a list of texts/],
    ['a number in a list', { names: [1] }, /must be a list of texts/],
    ['a wrong type of another command', { depth: [1] }, /"depth" in .* must be a text or a number/],
    ['a key twice', '{"count": "1", "count": "2"}', /dealbox\.json contains an object with a duplicate member/],
    ['no JSON', '{count: 1}', /dealbox\.json is not valid JSON/],
    ['nothing', '', /dealbox\.json is empty/],
    ['a list', [], /must contain a JSON object, such as/],
    ['no text', Buffer.from([0xff]), /dealbox\.json is not valid UTF-8/],
    ['another configuration file', { config: 'x' }, /cannot have "config": it is a configuration file itself/],
    ['the data folder', { data: 'x' }, /cannot have "data": it is read from the data folder/],
    ['more than 64 KiB', { count: 'x'.repeat(65_536) }, /is larger than 64 KiB/],
  ]
  for (const [what, content, message] of wrong) {
    test(`with ${what} is refused`, async () => {
      await refused(['--data', dataWith(content).data], message)
    })
  }

  const onPosix = { skip: process.platform === 'win32' ? 'has no modes' : false }

  test('that others may change is refused', onPosix, async () => {
    for (const mode of [0o620, 0o602, 0o666]) {
      const { data, path } = dataWith({ count: '1' }, mode)
      await refused(['--data', data], /is not used, because other accounts may change it\. Run: chmod go-w /)
      chmodSync(path, 0o644)
      assert.equal((await values(['--data', data])).count, '1')
    }
  })

  test('with a secret that others may read is refused', onPosix, async () => {
    const { data, path } = dataWith({ 'api-token': 'abc' }, 0o640)
    await refused(['--data', data], /has the secret "api-token", and other accounts may read it\. Run: chmod go-r /)
    chmodSync(path, 0o600)
    assert.equal((await values(['--data', data])).apiToken, 'abc')
  })

  test('may be there before the first start', () => {
    const { data } = dataWith({})
    prepareEmptyFolder(data)
    assert.ok(existsSync(join(data, 'dealbox.db')))
  })

  test('is what real commands read', async () => {
    const { data } = dataWith({ 'screens-listen': '127.0.0.1:1' })
    const { code, err } = await cli(['healthcheck', '--data', data])
    assert.deepEqual([code, err], [1, 'No server responds at 127.0.0.1:1.\n'])
  })
})

describe('a secret', () => {
  const path = join(folder, 'secret')
  const env = { DEALBOX_API_TOKEN_FILE: path }
  const credentials = join(folder, 'credentials')

  test('is also read from a file, without the line break and spaces at its end', async () => {
    for (const [content, value] of [
      ['abc\n', 'abc'],
      ['abc\r\n', 'abc'],
      ['a\nc \n', 'a\nc'],
    ] as const) {
      writeFileSync(path, content)
      assert.equal((await values([], env)).apiToken, value)
    }
    writeFileSync(path, '\n')
    await refused([], /secret, the file of DEALBOX_API_TOKEN_FILE, is empty/, env)
    await refused([], /The file of DEALBOX_API_TOKEN_FILE .*none cannot be read \(ENOENT\)/, {
      DEALBOX_API_TOKEN_FILE: join(folder, 'none'),
    })
    await refused([], /DEALBOX_API_TOKEN and DEALBOX_API_TOKEN_FILE are both set/, { ...env, DEALBOX_API_TOKEN: 'x' })
  })

  test('is also a systemd credential, before the file and after the environment', async () => {
    mkdirSync(credentials)
    const given = { CREDENTIALS_DIRECTORY: credentials }
    const { data } = dataWith({ 'api-token': 'of the file' })
    assert.equal((await values(['--data', data], given)).apiToken, 'of the file')
    writeFileSync(join(credentials, 'api-token'), 'of systemd\n')
    writeFileSync(join(credentials, 'count'), '5') // no secret
    const found = await values(['--data', data], given)
    assert.deepEqual([found.apiToken, found.count], ['of systemd', undefined])
    assert.equal(
      (await values([], { ...given, DEALBOX_API_TOKEN: 'of the environment' })).apiToken,
      'of the environment',
    )
    writeFileSync(join(credentials, 'api-token'), '')
    await refused([], /The credential .*api-token is empty/, given)
  })

  test('is the only kind of option that is read from such files', async () => {
    writeFileSync(path, '5')
    assert.equal((await values([], { DEALBOX_COUNT_FILE: path })).count, undefined)
  })
})

describe('config show', () => {
  const shown = async (argv: readonly string[], env: Environment = {}) => {
    const { code, out, err } = await cli(['config', 'show', ...argv, '--json'], env, toys)
    assert.equal(code, 0, err)
    return JSON.parse(out) as {
      file: string | null
      options: { key: string; value: unknown; from: string; where: string | null; commands: string[] }[]
      unknown_variables: string[]
    }
  }

  test('prints every value of a command, and where it comes from', async () => {
    const { data, path } = dataWith({ count: 2, 'api-token': 'hidden' })
    const env = { DEALBOX_NAMES: 'a\nb', DEALBOX_DATA: data }
    const { file, options } = await shown(['toy', '--loud'], env)
    assert.equal(file, path)
    assert.deepEqual(
      options.map(({ key, value, from, where }) => [key, value, from, where]),
      [
        ['listen-at', 'here', 'default', null],
        ['count', '2', 'file', path],
        ['loud', true, 'flag', '--loud'],
        ['names', ['a', 'b'], 'environment', 'DEALBOX_NAMES'],
        ['api-token', '***', 'file', path],
        ['json', true, 'flag', '--json'],
        ['data', data, 'environment', 'DEALBOX_DATA'],
        ['config', null, 'default', null],
      ],
    )
  })

  test('prints those of all commands, each default once', async () => {
    const { options } = await shown([])
    const of = (key: string) => options.filter((row) => row.key === key).map(({ value, commands }) => [value, commands])
    assert.deepEqual(of('listen-at'), [
      ['here', ['toy']],
      ['there', ['other one']],
    ])
    assert.deepEqual(of('data'), [['./dealbox-data', ['toy', 'other one', 'config show']]])
    assert.deepEqual(of('api-token'), [[null, ['toy']]])
  })

  test('prints a table for people, and never a secret', async () => {
    const env = { DEALBOX_API_TOKEN: 'hidden', DEALBOX_LISTN_AT: 'x' }
    const { out, err } = await cli(['config', 'show', 'toy'], env, toys)
    assert.match(out, /^OPTION +VALUE +FROM\nlisten-at +here +default\n/)
    assert.match(out, /^api-token +\*\*\* +environment DEALBOX_API_TOKEN$/m)
    assert.doesNotMatch(out + err, /hidden/)
    assert.equal(err, 'DEALBOX_LISTN_AT has no effect. Did you mean DEALBOX_LISTEN_AT?\n')
    const all = await cli(['config', 'show'], env, toys)
    assert.match(all.out, /^OPTION +VALUE +FROM +OF\n/)
    assert.match(all.out, /^listen-at +there +default +other one$/m)
  })

  test('accepts a command of two words, and names the nearest one to what is none', async () => {
    assert.equal((await shown(['other', 'one', '--depth', '3'])).options[1]?.value, '3')
    const { code, err } = await cli(['config', 'show', 'other on'], {}, toys)
    assert.equal(code, 2)
    assert.match(err, /There is no command "other on"\. Did you mean "other one"\?/)
  })

  test('works for every real command, also one that requires options', async () => {
    for (const { name, options } of commands) {
      const { code, out, err } = await cli([
        'config',
        'show',
        ...(name.includes('--') ? [name] : name.split(' ')),
        '--json',
        '--data',
        folder,
      ])
      assert.equal(code, 0, `${name}: ${err}`)
      assert.deepEqual(
        JSON.parse(out)
          .options.map(({ key }: { key: string }) => key)
          .sort(),
        Object.keys(options).map(keyOf).sort(),
      )
    }
  })
})

test('the nearest word needs the fewest changes', () => {
  const words = ['api-listen', 'screens-listen', 'log-level']
  assert.equal(nearest('apilisten', words), 'api-listen')
  assert.equal(nearest('LOG_LEVL', words), 'log-level')
  assert.equal(nearest('screen-listen', words), 'screens-listen')
  assert.equal(nearest('x', []), undefined)
})
