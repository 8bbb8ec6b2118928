import { COMPANIES, csv, isCalled, isReachable, mess, type ProductFile, ROWS, written } from './mess.ts'

// HubSpot: UTF-8 with commas; times as 2024-05-31 14:05; inner values of stages and time zones; associated records with
// semicolons between them.

const CONTACTS =
  'Record ID,First Name,Last Name,Email,Phone Number,Mobile Phone Number,Contact owner,Associated Company,Associated Company IDs,Last Activity Date,Lead Status,Marketing contact status,Unsubscribed from all email,Create Date,Job Title,Street Address,City,State/Region,Postal Code,Country/Region,Time Zone,Preferred language,Website URL,Associated Note,Lifecycle Stage'
const COMPANY =
  'Record ID,Company name,Company owner,Create Date,Phone Number,Last Activity Date,City,State/Region,Postal Code,Country/Region,Industry,Company Domain Name,Number of Employees,Annual Revenue,Time Zone,LinkedIn Company Page,Description,Parent Company,Lifecycle Stage'
const DEALS =
  'Record ID,Deal Name,Deal Stage,Close Date,Deal owner,Amount,Currency,Pipeline,Create Date,Last Activity Date,Closed Lost Reason,Deal Description,Associated Contact,Associated Company,Associated Company (Primary),Deal probability'

const ZONES = ['europe_slash_berlin', 'us_slash_eastern', 'UTC +02:00 Europe Berlin', 'America/New_York']

export function hubspot(count = ROWS): ProductFile[] {
  const m = mess(101)
  const companies = m.rows(count, (index) => ({
    cells: {
      'Record ID': `9${m.digits(9)}${index}`,
      'Company name': index < COMPANIES.length ? (COMPANIES[index] as string) : `Firm ${index} ${m.last()}`,
      'Company owner': m.often(0.7, m.owner),
      'Create Date': written.minute(m.day()),
      'Phone Number': m.often(0.5, () => m.pick(['030/1234-567', '+1 415 555 0132'])),
      City: m.often(0.6, () => m.pick(['Köln', 'New York', 'Łódź'])),
      'State/Region': m.often(0.4, () => m.pick(['NRW', 'CA'])),
      'Country/Region': m.often(0.7, m.country),
      Industry: m.often(0.5, () => m.pick(['COMPUTER_SOFTWARE', 'Logistics'])),
      'Company Domain Name': m.often(0.6, () => `firm${index}.example`),
      'Number of Employees': m.often(0.5, () =>
        m.chance(0.2) ? m.wrong('employee_count', m.pick(['50-100', 'many'])) : String(m.number(900) + 1),
      ),
      'Annual Revenue': m.often(0.3, () => String(m.number(90) * 100_000)),
      'LinkedIn Company Page': m.often(0.3, () => `https://www.linkedin.com/company/firm${index}`),
      Description: m.often(0.4, m.note),
      'Parent Company': m.chance(0.05) ? m.wrong('parent_company_id', 'Nobody Holding') : '',
    },
    isUsable: true,
  }))
  const contacts = m.rows(count, (index) => {
    const cells = {
      'Record ID': `8${m.digits(7)}${index}`,
      'First Name': m.often(0.9, m.first),
      'Last Name': m.often(0.85, m.last),
      Email: m.often(0.85, m.email),
      'Phone Number': m.often(0.4, m.phone),
      'Mobile Phone Number': m.often(0.2, () => '0171 2345678'),
      'Contact owner': m.often(0.7, m.owner),
      'Associated Company': m.often(0.6, () => (m.chance(0.2) ? `${m.company()};${m.company()}` : m.company())),
      'Lead Status': m.often(0.5, () => 'Attempted to contact'),
      'Marketing contact status': m.pick(['Marketing contact', 'Non-marketing contact']),
      'Unsubscribed from all email': m.pick(['', 'true', 'false', 'Yes']),
      'Create Date': written.minute(m.day()),
      'Job Title': m.often(0.6, () => 'Head of "purchasing"'),
      'Country/Region': m.often(0.6, m.country),
      'State/Region': m.often(0.3, () => 'Bavaria'),
      'Postal Code': m.often(0.5, () => m.digits(5)),
      'Time Zone': m.often(0.5, () => (m.chance(0.1) ? m.wrong('timezone', 'Central time') : m.pick(ZONES))),
      'Preferred language': m.often(0.4, () => m.pick(['en', 'de-de', 'German', 'pt_BR'])),
      'Website URL': m.often(0.3, () => m.pick(['acme.example', 'https://x.example/a?b=c'])),
      'Associated Note': m.often(0.3, m.note),
      'Lifecycle Stage': m.pick(['lead', 'customer', '']),
    }
    return {
      cells,
      isUsable: isReachable(cells, ['First Name', 'Last Name'], ['Email', 'Phone Number', 'Mobile Phone Number']),
    }
  })
  const reached = contacts.filter(
    ({ cells, isUsable, bad }) => isUsable && bad.length === 0 && /^\w+@acme\.example$/.test(cells.Email ?? ''),
  )
  const deals = m.rows(count, (index) => {
    const person = m.pick(reached).cells.Email as string
    const stage = m.pick([
      'appointmentscheduled',
      'qualifiedtobuy',
      'Presentation Scheduled',
      'contractsent',
      'closedwon',
      'closedlost',
      'Closed Won (Sales Pipeline)',
      'Qualified',
    ])
    const cells = {
      'Record ID': `7${m.digits(8)}${index}`,
      'Deal Name': m.chance(0.03) ? m.blank() : `${m.pick(['Licences', 'Rollout “2024”', 'Renewal'])} ${index}`,
      'Deal Stage': STAGES_KNOWN.includes(stage) ? stage : m.wrong('stage', stage),
      'Close Date': m.often(0.8, () => written.minute(m.day())),
      'Deal owner': m.often(0.8, m.owner),
      Amount: m.often(0.8, () => (m.chance(0.05) ? m.wrong('amount', 'on request') : m.pick(['1200.5', '25000', '0']))),
      Currency: m.pick(['EUR', 'USD', 'eur', '']),
      Pipeline: m.pick(['default', '']),
      'Create Date': written.minute(m.day()),
      'Closed Lost Reason': /lost/i.test(stage) ? m.often(0.5, () => 'Price') : '',
      'Deal Description': m.often(0.3, m.note),
      // Not "none", which is a person where the rows of people have one who is called so.
      'Associated Contact': m.chance(0.3)
        ? m.pick(['', 'n/a', '-'])
        : m.chance(0.15)
          ? m.wrong('primary_contact_id', 'Nobody Known (nobody@gone.example)')
          : m.pick([`Some One (${person})`, `${person};other@x.example`]),
      'Associated Company (Primary)': m.often(0.7, m.company),
    }
    return { cells, isUsable: isCalled(cells['Deal Name']) }
  })
  return [
    { name: 'hubspot-companies.csv', object: 'company', text: csv(COMPANY, companies, { eol: '\n' }), rows: companies },
    {
      name: 'hubspot-contacts.csv',
      object: 'contact',
      text: csv(CONTACTS, contacts, { eol: '\n', everyQuoted: true }),
      rows: contacts,
    },
    { name: 'hubspot-deals.csv', object: 'deal', text: csv(DEALS, deals, { eol: '\n' }), rows: deals },
  ]
}

/** Those that the organisation has, or that say how the deal ended. */
const STAGES_KNOWN = ['closedwon', 'closedlost', 'Closed Won (Sales Pipeline)', 'Qualified', 'contractsent']
