import assert from 'node:assert/strict'
import test from 'node:test'
import type { Address } from '../../../src/demo/story/steps.ts'
import { COMPANY_WORDS, COUNTRIES, plain } from '../../../src/demo/words/names.ts'
import { between, follow, type Of, share, unique } from '../replay/replay-fixture.ts'

const CURRENCIES = new Set(Intl.supportedValuesOf('currency'))
const DIAL: Record<string, string> = {
  GB: '44',
  US: '1',
  CA: '1',
  IE: '353',
  AU: '61',
  DE: '49',
  FR: '33',
  SE: '46',
  HU: '36',
}
// What the regulators keep free for films and books, without spaces.
const FICTION = [
  /^\+1[2-9]\d{2}55501\d{2}$/,
  /^\+44(207946|1[1-6]1496|11[3-8]496|191498|292018)0\d{3}$/,
  /^\+447700900\d{3}$/,
  /^\+3532091\d{5}$/,
  /^\+61[2378]5550\d{4}$/,
  /^\+49(3023125|4066969|2214710|8999998|6990009)\d{3}$/,
  /^\+4917139200\d{2}$/,
  /^\+33(19900|26191|35301|46571|53649|63998)\d{4}$/,
  /^\+46(7017406|8465004|3139006|4062804)\d{2}$/,
  /^\+3655\d{6}$/,
]

test('members, tags, companies, contacts and deals keep the rules of the contract', () => {
  for (const profile of ['demo', '10k'] as const) {
    const { members, tags, companies, contacts, deals, changes } = follow(profile)
    const emails = new Set<string>()
    unique(members.map(({ given }) => given.email))
    for (const { given } of members) {
      checkText(given.name)
      checkEmail(given.email)
      checkTimezone(given.timezone)
    }
    assert.equal(members.filter(({ given }) => given.role === 'owner').length, 1)
    unique(tags.map(({ given }) => given.name.toLowerCase()))
    for (const { given } of tags) {
      checkText(given.name)
      if (given.description !== null) checkText(given.description)
      assert.match(given.color, /^#[0-9a-f]{6}$/)
    }
    unique(companies.flatMap(({ given }) => given.domains))
    unique(companies.flatMap(({ given }) => given.external_id ?? []))
    for (const { given, tags, parent, ref } of companies) {
      checkText(given.name)
      for (const domain of given.domains) assert.match(domain, /^[a-z0-9]+(-[a-z0-9]+)*\.(example|test)$/)
      checkUrl(given.website)
      checkUrl(given.linkedin_url)
      if (given.phone !== null) checkPhone(given.phone, given.address)
      if (given.address !== null) checkAddress(given.address, given.currency)
      assert.ok(CURRENCIES.has(given.currency as string))
      if (given.employee_count !== null) assert.ok(Number.isInteger(given.employee_count) && given.employee_count > 0)
      if (given.annual_revenue !== null) checkAmount(given.annual_revenue)
      if (given.description !== null) checkText(given.description)
      unique(tags)
      if (parent !== undefined) assert.equal(companies[parent]?.parent, undefined, `${ref} is a branch of a branch`)
    }
    unique(contacts.flatMap(({ given }) => given.external_id ?? []))
    for (const { given, tags, company } of contacts) {
      checkText(given.first_name)
      checkText(given.last_name)
      for (const { email } of given.emails) {
        checkEmail(email)
        assert.ok(!emails.has(email), email)
        emails.add(email)
      }
      const domains = company === undefined ? [] : (companies[company]?.given.domains ?? [])
      const work = given.emails[0]
      if (work && company !== undefined) assert.ok(domains.includes(work.email.split('@')[1] as string), work.email)
      for (const list of [given.emails, given.phones]) {
        assert.deepEqual(
          list.map(({ is_primary }) => is_primary),
          list.map((_, index) => index === 0),
        )
      }
      const address = given.address ?? (company === undefined ? null : (companies[company]?.given.address ?? null))
      for (const { number } of given.phones) checkPhone(number, address)
      if (given.address !== null) checkAddress(given.address, null)
      if (given.timezone !== null) checkTimezone(given.timezone, address)
      if (given.language !== null) {
        assert.deepEqual(Intl.getCanonicalLocales(given.language), [given.language])
        if (address) assert.equal(given.language, countryOf(address).language)
      }
      checkUrl(given.website)
      checkUrl(given.linkedin_url)
      unique(tags)
    }
    unique(deals.flatMap(({ step }) => step.given.external_id ?? []))
    for (const { step } of deals) {
      checkDeal(step.given, step.company === undefined ? undefined : companies[step.company])
      unique(step.tags)
    }
    for (const { deal, given } of changes) {
      const company = deals[deal]?.step.company
      checkDeal(
        { amount: null, currency: null, expected_close_date: null, external_id: null, title: 'x', ...given },
        company === undefined ? undefined : companies[company],
      )
    }
  }
})

test('the words keep what the uniqueness of domains rests on', () => {
  const trades = [...COMPANY_WORDS.values()].flatMap((words) => words.trades.map((trade) => trade.plain))
  unique(trades)
  for (const { roots } of COMPANY_WORDS.values()) unique(roots.map((root) => root.plain))
  for (const { culture } of COUNTRIES) assert.ok(COMPANY_WORDS.has(culture), culture)
})

test('names in addresses keep their letters without the accents', () => {
  const names = ['Søren Kjærgaard', 'Łukasz Wójcik', 'Nguyễn Đức', "Siobhán O'Brien", 'Ayşe Kılıç', 'João d’Ávila']
  assert.deepEqual(
    names.map((name) => plain(name, '.')),
    ['soren.kjaergaard', 'lukasz.wojcik', 'nguyen.duc', 'siobhan.obrien', 'ayse.kilic', 'joao.davila'],
  )
  assert.equal(plain('Jürgen Weiß', '-', 'de'), 'juergen-weiss')
})

test('names come from many places, with their accents', () => {
  const { contacts } = follow('10k')
  const names = new Set(contacts.flatMap(({ given }) => [given.first_name, given.last_name]))
  for (const name of ['Zoë', 'Łukasz', 'Søren', 'Nguyễn', "O'Brien", 'de la Cruz', 'Yūko', 'Çelik']) {
    assert.ok(names.has(name.normalize('NFC')), name)
  }
  const accented = share(contacts, ({ given }) => /\P{ASCII}/u.test(given.first_name + given.last_name))
  between(accented, 0.25, 0.7)
})

function checkDeal(given: Of<'deal'>['given'], company: Of<'company'> | undefined): void {
  checkText(given.title)
  assert.equal(given.amount === null, given.currency === null)
  if (given.amount !== null) checkAmount(given.amount)
  if (given.currency !== null) assert.equal(given.currency, company ? company.given.currency : 'EUR')
  if (given.expected_close_date === null) return
  const day = new Date(given.expected_close_date)
  assert.equal(day.toISOString().slice(0, 10), given.expected_close_date)
  assert.ok(day.getUTCDay() >= 1 && day.getUTCDay() <= 5, given.expected_close_date)
}

function checkText(text: string): void {
  assert.ok(text.trim() === text && text.length > 0 && text.length <= 255, text)
  assert.ok(text.isWellFormed() && text.normalize('NFC') === text && !text.includes('\0') && !text.includes('  '), text)
}

function checkAmount(amount: number): void {
  assert.ok(amount > 0 && amount <= 9e12, `${amount}`)
  const digits = /^(\d+)(?:\.(\d+))?$/.exec(`${amount}`)
  assert.ok(digits, `${amount}`)
  const [, whole = '', fraction = ''] = digits
  assert.ok(fraction.length <= 2 && (whole + fraction).length <= 15, `${amount}`)
}

function checkEmail(email: string): void {
  assert.match(email, /^[a-z0-9]+(\.[a-z0-9]+)*@[a-z0-9-]+\.example$/)
}

function checkUrl(url: string | null): void {
  if (url !== null) assert.match(url, /^https:\/\/[a-z0-9.-]+\.example(\/[a-z0-9/-]+)?$/)
}

function checkPhone(number: string, address: Address | null): void {
  const digits = number.replaceAll(' ', '')
  assert.match(digits, /^\+\d{8,15}$/)
  assert.ok(
    FICTION.some((range) => range.test(digits)),
    number,
  )
  if (address) assert.ok(digits.startsWith(`+${DIAL[address.country]}`), `${number} in ${address.country}`)
}

function checkAddress(address: Address, currency: string | null): void {
  const country = countryOf(address)
  const city = country.cities.find(({ name }) => name === address.city)
  assert.ok(city && city.region === address.region, address.city)
  const pattern = city.postal.replaceAll('#', '\\d').replaceAll('@', '[A-Z]')
  assert.match(address.postal_code, new RegExp(`^${pattern}$`))
  assert.doesNotMatch(address.line1, /#/)
  if (currency !== null) assert.equal(currency, country.currency)
}

function checkTimezone(timezone: string, address: Address | null = null): void {
  assert.doesNotThrow(() => new Intl.DateTimeFormat('en', { timeZone: timezone }))
  if (address)
    assert.ok(
      countryOf(address).cities.some((city) => city.timezone === timezone),
      timezone,
    )
}

function countryOf(address: Address) {
  const country = COUNTRIES.find(({ code }) => code === address.country)
  assert.ok(country, address.country)
  return country
}
