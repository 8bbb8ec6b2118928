import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commands } from '../../../src/cli/commands.ts'
import { optionsOf } from '../../../src/command/command.ts'
import { variableOf } from '../../../src/command/config/options.ts'
import { unknownVariables } from '../../../src/command/config/unknown.ts'

test('a variable that no option has is said, but none that is empty, or names the file of a secret', () => {
  const options = optionsOf(commands)
  const secret = Object.keys(options).find((name) => options[name]?.secret) as string
  const env = {
    DEALBOX_DATA: '/data',
    DEALBOX_DATTA: '/data',
    DEALBOX_EMPTIED: '',
    [`${variableOf(secret)}_FILE`]: '/run/secret',
    DEALBOX_DATA_FILE: '/run/data',
    DEALBOXES: '3',
  }
  assert.deepEqual(
    unknownVariables(env, options).map(({ variable }) => variable),
    ['DEALBOX_DATTA', 'DEALBOX_DATA_FILE'],
  )
})
