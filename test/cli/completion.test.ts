import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { commands } from '../../src/cli/commands.ts'
import { manualPage } from '../../src/cli/manual.ts'
import { flagOf } from '../../src/command/config/options.ts'
import { cli, temporaryFolder } from './command-line.ts'

// The shells themselves complete: what they offer is what the commands declare.

const folder = temporaryFolder()
const isThere = (program: string) => spawnSync(program, ['--version']).error === undefined
const lacks = (program: string) => (isThere(program) ? false : `there is no ${program}`)
const script = (shell: string) => join(folder, `dealbox.${shell}`)
before(async () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { code, out, err } = await cli(['completion', shell])
    assert.equal(code, 0, err)
    writeFileSync(script(shell), out)
  }
  mkdirSync(join(folder, 'a folder'))
  writeFileSync(join(folder, 'a file.tar'), '')
})

/** The rest of each command's line, for completions: `dealbox token create ` and so on. */
const flagsOf = (name: string) => {
  const found = commands.find((each) => each.name === name)
  return [...Object.keys(found?.options ?? {}).map(flagOf), '--help'].toSorted()
}
const firstWords = [...new Set(commands.map(({ name }) => name.split(' ')[0] as string))].toSorted()

/** What is offered at the end of each line: a shell starts once for all of them. */
type Complete = (lines: string[][]) => string[][]
const inFolder = (program: string, argv: string[]) => {
  const { stdout, stderr } = spawnSync(program, argv, { cwd: folder, encoding: 'utf8' })
  assert.equal(stderr, '')
  return stdout
}
const END = '\n==\n'
const answers = (out: string) =>
  out
    .split(END)
    .slice(0, -1)
    .map((each) => each.split('\n').flatMap((line) => line.split('\t')[0] || []))

/** As bash calls it, without the package bash-completion: = is a word of its own. */
const bash: Complete = (lines) => {
  const split = lines.map((words) =>
    words.flatMap((word) => word.split(/(=)/)).filter((word, at, all) => word !== '' || at === all.length - 1),
  )
  const calls = split.map(
    (words) => `COMP_WORDS=(dealbox ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; ask`,
  )
  const ask = `ask() { _dealbox; printf '%s\\n' "\${COMPREPLY[@]}"; printf '\\n==\\n'; }`
  return answers(inFolder('bash', ['--norc', '-c', [`source '${script('bash')}'`, ask, ...calls].join('\n')]))
}
const fish: Complete = (lines) => {
  const calls = lines.map((words) => `complete -C 'dealbox ${words.join(' ')}'; printf '\\n==\\n'`)
  return answers(inFolder('fish', ['--no-config', '-c', [`source '${script('fish')}'`, ...calls].join('\n')]))
}

for (const [shell, complete] of [
  ['bash', bash],
  ['fish', fish],
] as [string, Complete][]) {
  describe(`completion of ${shell}`, { skip: lacks(shell) }, () => {
    const sorted = (words: string[]) => (complete([words])[0] as string[]).toSorted()

    test('has every command, every verb, and every option of each', () => {
      assert.deepEqual(
        sorted(['']).filter((word) => !word.startsWith('--')),
        firstWords,
      )
      const verbs = commands.map(({ name }) => name).filter((name) => / \w/.test(name))
      const begun = complete(verbs.map((name) => name.replace(/( \w).*/, '$1').split(' ')))
      for (const [at, name] of verbs.entries()) assert.ok(begun[at]?.includes(name.replace(/.* /, '')), name)
      for (const [at, found] of complete(commands.map(({ name }) => [...name.split(' '), '--'])).entries()) {
        const name = commands[at]?.name as string
        const offered = found.map((each) => each.replace(/=$/, '')).filter((each) => each !== '--undo')
        assert.deepEqual(offered.toSorted(), flagsOf(name), name)
      }
    })

    test('narrows what is offered down to what was begun', () => {
      assert.deepEqual(sorted(['to']), ['token'])
      assert.deepEqual(sorted(['token', 'cr']), ['create'])
      assert.deepEqual(sorted(['token', 'create', '--ex']), ['--expires'])
      assert.deepEqual(sorted(['serve', '--data', 'x', '--log']), ['--log-level'])
      assert.deepEqual(sorted(['unknown', '--']), [])
    })

    test('offers files, folders or nothing, as an option takes them', () => {
      assert.deepEqual(sorted(['serve', '--tls-cert', 'a']).map(unescaped), ['a file.tar', 'a folder'])
      assert.deepEqual(sorted(['serve', '--data', 'a']).map(unescaped), ['a folder'])
      assert.deepEqual(sorted(['restore', 'a']).map(unescaped), ['a file.tar', 'a folder'])
      assert.deepEqual(sorted(['token', 'create', '--email', 'a']), [])
      assert.deepEqual(sorted(['serve', 'a']), [])
    })
  })
}

const unescaped = (word: string) => word.replaceAll('\\', '').replace(/\/$/, '')

test('bash also completes the value after an =', () => {
  assert.deepEqual(
    bash([
      ['serve', '--data=a'],
      ['serve', '--data='],
    ]),
    [['a folder'], ['a folder']],
  )
})

test('zsh reads its completion, which has every option of every command', { skip: lacks('zsh') }, async () => {
  assert.equal(inFolder('zsh', ['-f', '-n', script('zsh')]), '')
  const { out } = await cli(['completion', 'zsh'])
  for (const { name } of commands) {
    const part = out.slice(out.indexOf(`    '${name}')\n`)).split('      ;;')[0] ?? ''
    for (const flag of flagsOf(name)) assert.match(part, new RegExp(`'\\*?${flag}=?\\[`), `${name} ${flag}`)
  }
})

describe('the manual page', () => {
  const page = manualPage(commands, '1.2.3', Date.UTC(2026, 10, 29, 12))

  test('has every command with its options, the date and the version', () => {
    assert.match(page, /^\.TH DEALBOX 1 "2026-11-29" "Dealbox 1\.2\.3" "Dealbox"$/m)
    for (const { name, options, args } of commands) {
      const words = ['dealbox', name, ...Object.keys(args).map((arg) => arg.toUpperCase())].join(' ')
      assert.ok(page.includes(`.SS "${words.replaceAll('-', '\\-')}`), words)
      for (const option of Object.keys(options)) assert.ok(page.includes(`.B ${flagOf(option).replaceAll('-', '\\-')}`))
    }
  })

  test('is what man expects, to the letter', { skip: lacks('mandoc') }, () => {
    writeFileSync(join(folder, 'dealbox.1'), page)
    assert.equal(inFolder('mandoc', ['-Tlint', '-Wwarning', 'dealbox.1']), '')
    const shown = inFolder('mandoc', ['-Tascii', 'dealbox.1']).replace(/.\x08/g, '')
    assert.match(shown, /--log-level LEVEL/)
    assert.match(shown, /dealbox import --undo/)
  })

  test('no line of a help text is taken for an order', () => {
    const orders = /^\.(\\"|TH|SH|SS|TP|PP|B|I|RI) ?/
    for (const line of page.split('\n')) assert.ok(!/^[.']/.test(line) || orders.test(line), line)
  })
})
