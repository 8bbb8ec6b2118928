import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countryOfZone } from '../../src/lib/country.ts'

test('a time zone is that of a country, by any of its names', () => {
  for (const [zone, country] of [
    ['Europe/Vienna', 'AT'],
    ['Europe/Kyiv', 'UA'],
    ['Europe/Kiev', 'UA'],
    ['Asia/Kolkata', 'IN'],
    ['US/Eastern', 'US'],
    ['America/Argentina/Buenos_Aires', 'AR'],
    ['UTC', undefined],
    ['Etc/GMT+5', undefined],
    ['CET', undefined],
    ['Nowhere/Special', undefined],
  ] as const)
    assert.equal(countryOfZone(zone), country, zone)
})

test('nearly every zone has its country', () => {
  const without = Intl.supportedValuesOf('timeZone').filter(
    (zone) => !/^(?:Antarctica|Etc)\//.test(zone) && countryOfZone(zone) === undefined,
  )
  assert.ok(without.length <= 3, without.join(', '))
})
