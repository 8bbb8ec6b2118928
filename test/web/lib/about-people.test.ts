import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isAboutPeople } from '../../../src/web/lib/about-people.ts'

test('a line with an email or a phone beside a name is about somebody', () => {
  for (const text of [
    'Ana Ruiz <ana@ruiz.example>',
    'ana@ruiz.example Ana Ruiz',
    'Ana, 030/712 55 10',
    'Ana; 030.712.55',
    'Ana; 555-123-4567',
    'Ana, +49 30 1234567',
    'Ana\n0171 1234567',
    'BEGIN:VCARD\nFN:Ana\nEND:VCARD',
  ])
    assert.ok(isAboutPeople(text), text)
})

test('an address alone, days and times are not', () => {
  for (const text of [
    'ana@ruiz.example',
    '030 712 55 10',
    '19/11/2026, 3:30:00 pm',
    '12.3.2026; 14:30',
    '2026-11-19 10:00:00.000000+00, UTC',
    '2026-11-19T10:00:00-05:00, seen',
    '19/11/2026\n20/11/2026',
    '2026-11-19\t1250',
  ])
    assert.ok(!isAboutPeople(text), text)
})
