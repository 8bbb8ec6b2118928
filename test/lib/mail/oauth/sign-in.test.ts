import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tokensOfVisit, visitOf } from '../../../../src/lib/mail/oauth/browser.ts'
import { askForCode, type DeviceCode, tokensOfDevice } from '../../../../src/lib/mail/oauth/device.ts'
import type { Answer, Form } from '../../../../src/lib/mail/oauth/post-form.ts'
import { google, microsoft, type OAuthClient, otherProvider } from '../../../../src/lib/mail/oauth/provider.ts'
import { type OAuthRefusal, refreshed } from '../../../../src/lib/mail/oauth/tokens.ts'

// The rules of the flows, with a clock and a provider of the test. That they work with a real one: test/mail/oauth.

const CLIENT = microsoft('harbor.onmicrosoft.com', 'the-client')
const CODE: DeviceCode = {
  deviceCode: 'device-code-that-is-secret',
  userCode: 'MDDF-JLSF',
  verificationUrl: 'https://microsoft.com/devicelogin',
  lifetime_s: 900,
  interval_s: 5,
}
const TOKENS = {
  access_token: 'an-access-token',
  refresh_token: 'a-refresh-token',
  token_type: 'Bearer',
  expires_in: 3600,
}

const ok = (body: Answer['body']): Answer => ({ status: 200, body })
const no = (error: string, error_description?: string): Answer => ({ status: 400, body: { error, error_description } })
const gone = (): never => {
  throw Object.assign(new Error('The server login refused the connection.'), { isSentence: true })
}

/** A provider that gives these answers in turn, and a clock that moves while somebody waits. */
function talk(...answers: (Answer | (() => never))[]) {
  const sent: { url: string; form: Form; headers: Record<string, string> | undefined }[] = []
  const waits: number[] = []
  let now = 0
  const cut = new AbortController()
  return {
    sent,
    waits,
    cut,
    signal: cut.signal,
    clock: { now: () => now },
    post: async (url: string, form: Form, headers?: Record<string, string>): Promise<Answer> => {
      sent.push({ url, form, headers })
      const answer = answers.shift() ?? assert.fail('asked too often')
      return typeof answer === 'function' ? answer() : answer
    },
    wait: async (ms: number, signal: AbortSignal) => {
      waits.push(ms / 1000)
      now += ms
      signal.throwIfAborted()
    },
  }
}

const refusal = (code: string, message: RegExp) => (error: OAuthRefusal) => {
  assert.deepEqual([error.code, message.test(error.message)], [code, true], error.message)
  return true
}

test('Microsoft is asked for mail and for access that lasts, and tells where to type which code', async () => {
  const { deviceCode: device_code, userCode: user_code, verificationUrl: verification_uri } = CODE
  const provider = talk(ok({ device_code, user_code, verification_uri, expires_in: 900, interval: 5, message: 'x' }))
  assert.deepEqual(await askForCode(CLIENT, provider), CODE)
  assert.deepEqual(provider.sent, [
    {
      url: 'https://login.microsoftonline.com/harbor.onmicrosoft.com/oauth2/v2.0/devicecode',
      form: {
        client_id: 'the-client',
        scope: 'https://outlook.office.com/IMAP.AccessAsUser.All https://outlook.office.com/SMTP.Send offline_access',
      },
      headers: {},
    },
  ])
})

test('an answer without a code, or with an address that no browser should open, is none', async () => {
  const good = { device_code: 'd', user_code: 'u', verification_uri: 'https://x.example/', expires_in: '900' }
  assert.equal((await askForCode(CLIENT, talk(ok(good)))).interval_s, 5, 'RFC 8628: five seconds if it does not say')
  const wrong: Answer['body'][] = [
    { ...good, device_code: undefined },
    { ...good, user_code: 'x\u001b[2J' },
    { ...good, user_code: 'x'.repeat(65) },
    { ...good, verification_uri: 'javascript:alert(1)' },
    { ...good, verification_uri: 7 },
    { ...good, expires_in: 0 },
  ]
  for (const body of wrong)
    await assert.rejects(askForCode(CLIENT, talk(ok(body))), /login\.microsoftonline\.com did not respond with a code/)
})

test('it asks at the interval that the provider wants, and five seconds later each time it is too fast', async () => {
  const pending = no('authorization_pending')
  const provider = talk(pending, no('slow_down'), pending, no('slow_down'), ok(TOKENS))
  const tokens = await tokensOfDevice(CLIENT, CODE, provider)
  assert.deepEqual(provider.waits, [5, 5, 10, 10, 15])
  assert.deepEqual(tokens, {
    access: 'an-access-token',
    refresh: 'a-refresh-token',
    lifetime_s: 3600,
    refreshLifetime_s: null,
  })
  assert.deepEqual(provider.sent[0], {
    url: 'https://login.microsoftonline.com/harbor.onmicrosoft.com/oauth2/v2.0/token',
    form: {
      client_id: 'the-client',
      device_code: 'device-code-that-is-secret',
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    },
    headers: {},
  })
})

test('it asks a provider that cannot be reached less and less often, and goes on', async () => {
  const provider = talk(gone, gone, { status: 503, body: {} }, gone, gone, no('authorization_pending'), ok(TOKENS))
  await tokensOfDevice(CLIENT, CODE, provider)
  assert.deepEqual(provider.waits, [5, 10, 20, 40, 60, 60, 60])
})

test('it ends where the code has expired, or the person declines, or the provider says something else', async () => {
  const expired = refusal('expired_token', /^The code was not used in time, and nothing was stored\./)
  await assert.rejects(tokensOfDevice(CLIENT, CODE, talk(no('expired_token'))), expired)
  const late = talk(...Array(99).fill(no('authorization_pending')))
  await assert.rejects(tokensOfDevice(CLIENT, { ...CODE, lifetime_s: 60 }, late), expired)
  assert.equal(late.sent.length, 11, 'not asked after its time')
  for (const code of ['access_denied', 'authorization_declined'])
    await assert.rejects(tokensOfDevice(CLIENT, CODE, talk(no(code))), refusal('access_denied', /was declined/))
  const words = "AADSTS7000218: The request body must contain: 'client_secret'.\r\nTrace ID: 1a2b Correlation ID: 3c"
  await assert.rejects(
    tokensOfDevice(CLIENT, CODE, talk(no('invalid_client', words))),
    refusal(
      'invalid_client',
      /^The provider at login\.microsoftonline\.com responded with invalid_client: AADSTS7000218: The request body must contain: 'client_secret'\.$/,
    ),
  )
})

test('it can be canceled while it waits', async () => {
  const provider = talk()
  provider.cut.abort(new Error('Ctrl-C'))
  await assert.rejects(tokensOfDevice(CLIENT, CODE, provider), /Ctrl-C/)
  assert.deepEqual(provider.sent, [])
})

test('tokens have to be tokens, of a kind and a length that a mail server takes', async () => {
  const of = (body: Answer['body']) => refreshed(CLIENT, 'the-old-one', talk(ok(body)).post)
  const wrong = [
    { ...TOKENS, access_token: undefined },
    { ...TOKENS, access_token: 'two words' },
    { ...TOKENS, access_token: 'a\r\nA1 LOGOUT' },
    { ...TOKENS, access_token: 'x'.repeat(16_385) },
    { ...TOKENS, refresh_token: '' },
    { ...TOKENS, token_type: 'mac' },
    { ...TOKENS, token_type: undefined },
  ]
  for (const body of wrong) await assert.rejects(of(body), { code: 'bad_answer' })
  const { refresh_token, ...rest } = TOKENS
  assert.equal((await of(rest)).refresh, null, 'the old one stays valid')
  assert.equal((await of({ ...TOKENS, expires_in: undefined })).lifetime_s, 600)
  assert.equal((await of({ ...TOKENS, expires_in: '1e99' })).lifetime_s, 30 * 86_400)
  assert.equal((await of({ ...TOKENS, refresh_token_expires_in: 604_799 })).refreshLifetime_s, 604_799)
})

test('what a provider repeats of the secrets in a request is left out of the error, and control characters are', async () => {
  const client: OAuthClient = { ...CLIENT, clientSecret: 'hush-hush', secretIn: 'form' }
  const { post } = talk(no('invalid_grant', 'hush-hush and the-old-one\u001b[2J are wrong.'))
  await assert.rejects(refreshed(client, 'the-old-one', post), (error: OAuthRefusal) => {
    assert.equal(error.said, 'invalid_grant: … and … [2J are wrong')
    assert.ok(error.isFinal)
    return true
  })
  const strange = talk({ status: 418, body: { error: 'x\u001b[2J', error_description: ['a list'] } })
  await assert.rejects(refreshed(client, 'r', strange.post), refusal('status_418', /responded with status_418\.$/))
})

test('a client with a secret sends it in the form or in the header, encoded as RFC 6749 has it', async () => {
  const endpoints = {
    flow: 'device',
    startUrl: 'https://x.example/device',
    tokenUrl: 'https://x.example/token',
  } as const
  const other = otherProvider({ ...endpoints, clientId: 'a b', clientSecret: 'c:d/é', scopes: ['mail'] })
  const provider = talk(ok(TOKENS), ok(TOKENS))
  await refreshed(other, 'r', provider.post)
  const basic = `Basic ${Buffer.from('a+b:c%3Ad%2F%C3%A9').toString('base64')}`
  assert.deepEqual(provider.sent[0]?.headers, { Authorization: basic })
  assert.deepEqual(provider.sent[0]?.form, { client_id: 'a b', grant_type: 'refresh_token', refresh_token: 'r' })
  await refreshed(google('g', 'secret'), 'r', provider.post)
  assert.deepEqual(provider.sent[1]?.headers, {})
  assert.equal(provider.sent[1]?.form.client_secret, 'secret')
})

test('the page of Google asks for mail and for access that lasts, and its last address is checked', async () => {
  const client = google('g', 'secret')
  const REDIRECT = 'http://127.0.0.1:51827/'
  const visit = visitOf(client, 'ana@harbor.example')
  const url = new URL(visit.url)
  assert.equal(url.origin + url.pathname, 'https://accounts.google.com/o/oauth2/v2/auth')
  const { state, code_challenge, ...rest } = Object.fromEntries(url.searchParams)
  assert.deepEqual(rest, {
    access_type: 'offline',
    prompt: 'consent',
    response_type: 'code',
    client_id: 'g',
    redirect_uri: REDIRECT,
    scope: 'https://mail.google.com/',
    code_challenge_method: 'S256',
    login_hint: 'ana@harbor.example',
  })
  assert.ok(state === visit.state && code_challenge?.length === 43 && visit.verifier !== code_challenge)
  const provider = talk(ok(TOKENS))
  const paste = (text: string) => tokensOfVisit(client, visit, text, provider.post)
  await assert.rejects(paste('4/0AbCd'), { code: 'no_code' })
  await assert.rejects(paste(`https://evil.example/?code=x&state=${visit.state}`), { code: 'no_code' })
  await assert.rejects(paste(REDIRECT), { code: 'no_code' })
  await assert.rejects(paste(`${REDIRECT}?code=x&state=another`), { code: 'wrong_state' })
  await assert.rejects(paste(`${REDIRECT}?error=access_denied&state=${visit.state}`), { code: 'access_denied' })
  await assert.rejects(paste(`${REDIRECT}?error=a%1b[b&state=${visit.state}`), refusal('refused', /with ab\.$/))
  assert.equal(provider.sent.length, 0)
  await paste(`  ${REDIRECT}?state=${visit.state}&code=4%2F0AbCd&scope=x\n`)
  assert.deepEqual(provider.sent[0]?.form, {
    client_id: 'g',
    client_secret: 'secret',
    grant_type: 'authorization_code',
    code: '4/0AbCd',
    redirect_uri: REDIRECT,
    code_verifier: visit.verifier,
  })
})

test('Microsoft also has a page, for directories that block the device flow', () => {
  const visit = visitOf(microsoft('common', 'the-client', 'browser'), 'ana@harbor.example')
  const { origin, pathname, searchParams } = new URL(visit.url)
  assert.equal(origin + pathname, 'https://login.microsoftonline.com/common/oauth2/v2.0/authorize')
  assert.equal(searchParams.get('redirect_uri'), 'http://localhost:51827')
  assert.match(searchParams.get('scope') ?? '', /SMTP\.Send offline_access$/)
})

test('the code of a page is taken with and without the slash that browsers add', async () => {
  const client = microsoft('common', 'the-client', 'browser')
  const visit = visitOf(client, 'ana@harbor.example')
  const provider = talk(ok(TOKENS))
  await tokensOfVisit(client, visit, `http://localhost:51827/?code=x&state=${visit.state}`, provider.post)
  assert.equal(provider.sent[0]?.form.redirect_uri, 'http://localhost:51827', 'as it was asked for')
})
