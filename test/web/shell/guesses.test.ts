import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deviceOf } from '../../../src/web/screens/settings-me/device.ts'
import { guessCurrency } from '../../../src/web/screens/sign-in/setup/guesses.ts'

test('the currency is guessed from the zone in Europe, else from the language', () => {
  assert.equal(guessCurrency('en-US', 'Europe/Berlin'), 'EUR')
  assert.equal(guessCurrency('en-US', 'Europe/Zurich'), 'CHF')
  assert.equal(guessCurrency('en-GB', 'Europe/London'), 'GBP')
  assert.equal(guessCurrency('en', 'America/Chicago'), 'USD')
  assert.equal(guessCurrency('pt-BR', 'America/Sao_Paulo'), 'BRL')
  assert.equal(guessCurrency('ja', 'Asia/Tokyo'), 'JPY')
  assert.equal(guessCurrency('not a language', 'UTC'), 'EUR')
})

test('a session is named after its browser and system', () => {
  const firefox = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0'
  const safari =
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605 Version/18.5 Mobile Safari/604.1'
  assert.deepEqual(deviceOf(firefox), { icon: 'screen', name: 'Firefox · Windows' })
  assert.deepEqual(deviceOf(safari), { icon: 'cell', name: 'Safari · iPhone' })
  assert.deepEqual(deviceOf(null), { icon: 'screen', name: undefined })
})
