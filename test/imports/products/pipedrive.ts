import { COMPANIES, csv, isCalled, isReachable, mess, type ProductFile, ROWS, written } from './mess.ts'

// Pipedrive: every column begins with the object that it belongs to; times as 2024-05-31 14:05:09; won and lost deals keep
// the stage in which they ended.

const PEOPLE =
  'Person - Name,Person - First name,Person - Last name,Person - Label,Person - Organization,Person - Email - Work,Person - Email - Home,Person - Email - Other,Person - Phone - Work,Person - Phone - Home,Person - Phone - Mobile,Person - Phone - Other,Person - Open deals,Person - Next activity date,Person - Owner,Person - Marketing status,Person - Job title,Person - Birthday,Person - Notes,Person - Postal address,Person - Person created,Person - Update time,Person - ID'
const ORGANIZATIONS =
  'Organization - Name,Organization - Label,Organization - Address,Organization - Apartment/suite no of Address,Organization - House number of Address,Organization - City/town/village/locality of Address,Organization - State/county of Address,Organization - ZIP/Postal code of Address,Organization - Country of Address,Organization - People,Organization - Open deals,Organization - Owner,Organization - Website,Organization - Annual revenue,Organization - Number of employees,Organization - Organization created,Organization - ID'
const DEALS =
  'Deal - Title,Deal - Creator,Deal - Owner,Deal - Value,Deal - Currency of Value,Deal - Weighted value,Deal - Currency of Weighted value,Deal - Probability,Deal - Organization,Deal - Organization ID,Deal - Pipeline,Deal - Contact person,Deal - Contact person ID,Deal - Stage,Deal - Label,Deal - Deal created,Deal - Update time,Deal - Status,Deal - Deal closed on,Deal - Won time,Deal - Lost time,Deal - Lost reason,Deal - Expected close date,Deal - ID'

export function pipedrive(count = ROWS): ProductFile[] {
  const m = mess(202)
  const organizations = m.rows(count, (index) => {
    const cells = {
      'Organization - Name':
        m.chance(0.02) && index > 20 ? m.blank() : (COMPANIES[index] ?? `Organisation ${index} ${m.last()}`),
      'Organization - Label': m.often(0.4, () => m.pick(['Customer', 'Hot lead, Customer'])),
      'Organization - Address': m.often(0.5, () => 'Rosenthaler Str. 40, 10178 Berlin, Germany'),
      'Organization - City/town/village/locality of Address': m.often(0.5, () => 'Berlin'),
      'Organization - ZIP/Postal code of Address': m.often(0.5, () => m.digits(5)),
      'Organization - Country of Address': m.often(0.6, m.country),
      'Organization - People': String(m.number(5)),
      'Organization - Owner': m.often(0.9, m.owner),
      'Organization - Website': m.often(0.4, () =>
        m.chance(0.1) ? m.wrong('website', 'not yet there') : `www.org${index}.example`,
      ),
      'Organization - Number of employees': m.often(0.3, () => '1,200'),
      'Organization - Organization created': written.second(m.day()),
      'Organization - ID': String(index + 1),
    }
    return { cells, isUsable: isCalled(cells['Organization - Name']) }
  })
  const people = m.rows(count, (index) => {
    const [first, last] = [m.often(0.9, m.first), m.often(0.85, m.last)]
    const cells = {
      'Person - Name': `${first} ${last}`,
      'Person - First name': first,
      'Person - Last name': last,
      'Person - Label': m.often(0.3, () => m.pick(['VIP', 'VIP, Press'])),
      'Person - Organization': m.often(0.6, m.company),
      'Person - Email - Work': m.often(0.7, m.email),
      'Person - Email - Home': m.often(0.2, m.email),
      'Person - Phone - Work': m.often(0.4, m.phone),
      'Person - Phone - Mobile': m.often(0.3, () => '+49 171 2345678, 0171 999'),
      'Person - Open deals': '0',
      'Person - Owner': m.often(0.9, m.owner),
      'Person - Marketing status': m.pick(['No consent', 'Subscribed', 'Unsubscribed', 'Bounced', 'Archived', '']),
      'Person - Job title': m.often(0.4, () => 'CEO'),
      'Person - Birthday': m.often(0.2, () => written.iso(m.day())),
      'Person - Notes': m.often(0.3, m.note),
      'Person - Person created': written.second(m.day()),
      'Person - ID': String(index + 1),
    }
    const reached = [
      'Person - Email - Work',
      'Person - Email - Home',
      'Person - Phone - Work',
      'Person - Phone - Mobile',
    ]
    return { cells, isUsable: isReachable(cells, ['Person - First name', 'Person - Last name'], reached) }
  })
  const deals = m.rows(count, (index) => {
    const status = m.pick(['Open', 'Open', 'Won', 'Lost'])
    const stage = m.pick(['Qualified', 'Demo', 'Negotiation', 'Contact Made', 'Demo Scheduled'])
    const isKnown = ['Qualified', 'Demo', 'Negotiation'].includes(stage)
    const cells = {
      'Deal - Title': m.chance(0.03) ? m.blank() : `${m.company()} deal`,
      'Deal - Creator': 'Ana Ruiz',
      'Deal - Owner': m.owner(),
      'Deal - Value': m.often(0.8, () =>
        m.chance(0.05) ? m.wrong('amount', 'ask Ana') : m.pick(['1200', '1,200.50', '99.9']),
      ),
      'Deal - Currency of Value': m.pick(['EUR', 'USD', 'SEK']),
      'Deal - Organization': m.often(0.8, m.company),
      'Deal - Pipeline': m.chance(0.9) ? 'Sales' : m.wrong('pipeline_id', 'Partner pipeline'),
      'Deal - Contact person': m.often(0.5, () => m.wrong('primary_contact_id', `Nobody ${m.number(5)}`)),
      'Deal - Stage': isKnown ? stage : m.wrong('stage', stage),
      'Deal - Label': m.often(0.2, () => 'Hot'),
      'Deal - Deal created': written.second(m.day()),
      'Deal - Status': status,
      'Deal - Lost reason':
        status !== 'Lost'
          ? ''
          : m.often(0.8, () => (m.chance(0.5) ? 'Price' : m.wrong('close_reason_id', 'Went quiet'))),
      'Deal - Expected close date': m.often(0.6, () => written.iso(m.day())),
      'Deal - ID': String(index + 1),
    }
    return { cells, isUsable: isCalled(cells['Deal - Title']) }
  })
  return [
    {
      name: 'pipedrive-organizations.csv',
      object: 'company',
      text: csv(ORGANIZATIONS, organizations, { mark: true }),
      rows: organizations,
    },
    { name: 'pipedrive-people.csv', object: 'contact', text: csv(PEOPLE, people, { mark: true }), rows: people },
    { name: 'pipedrive-deals.csv', object: 'deal', text: csv(DEALS, deals, { mark: true }), rows: deals },
  ]
}
