import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchTotp, newTotpSecret, stepOf, totpCode, totpUrl } from '../../src/auth/totp.ts'

const SECRET = Buffer.from('12345678901234567890')
const BASE32 = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

test('codes are those of RFC 6238, appendix B, and of RFC 4226, appendix D', () => {
  for (const [seconds, code] of [
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ] as const)
    assert.equal(totpCode(SECRET, stepOf(seconds * 1000), 8), code)
  const counted = ['755224', '287082', '359152', '969429', '338314', '254676', '287922', '162583', '399871', '520489']
  assert.deepEqual(
    counted.map((_, count) => totpCode(SECRET, count)),
    counted,
  )
})

test('a code is good in its step and one beside it, and only after the last one', () => {
  const now = 59_000
  const step = stepOf(now)
  for (const [away, found] of [
    [-2, false],
    [-1, true],
    [0, true],
    [1, true],
    [2, false],
  ] as const)
    assert.equal(matchTotp(BASE32, totpCode(SECRET, step + away + 100), now + 3_000_000, []) !== undefined, found)
  assert.equal(matchTotp(BASE32, totpCode(SECRET, step), now, [step - 1]), step)
  assert.equal(matchTotp(BASE32, totpCode(SECRET, step), now, [step]), undefined)
  assert.equal(matchTotp(BASE32, totpCode(SECRET, step), now, [step + 1]), undefined, 'a later one was used')
})

test('a new secret has 160 bits, in the letters of base32, and no two are equal', () => {
  const made = new Set(Array.from({ length: 50 }, newTotpSecret))
  assert.equal(made.size, 50)
  for (const each of made) assert.match(each, /^[A-Z2-7]{32}$/)
  assert.equal(
    totpUrl(BASE32, 'Tarn & Co', 'a@b.example'),
    `otpauth://totp/Tarn%20%26%20Co:a%40b.example?secret=${BASE32}&issuer=Tarn%20%26%20Co`,
  )
})
