import { COMPANIES, csv, isCalled, isReachable, mess, type ProductFile, ROWS, written } from './mess.ts'

// Attio: parts of a value, and what belongs to a linked record, stand behind " > "; ids are UUIDs.

const COMPANY =
  'Record ID,Record,Name,Domains,Description,Categories,Primary location > City,Primary location > State,Primary location > Country code,LinkedIn,Employee range,Owner > Name,Created at'
const PEOPLE =
  'Record ID,Record,Name > First name,Name > Last name,Email addresses,Phone numbers,Job title,Company > Record,Company > Record ID,Primary location > City,Primary location > Country code,LinkedIn,Created at'
const DEALS =
  'Record ID,Record,Deal name,Deal stage,Deal value > Currency value,Deal value > Currency code,Associated company > Record,Associated company > Record ID,Associated people > Record,Associated people > Record ID,Deal owner > Name,Created at'

export function attio(count = ROWS): ProductFile[] {
  const m = mess(707)
  const id = (kind: number, index: number): string =>
    `0d6c${String(kind).padStart(4, '0')}-77aa-4bbb-8ccc-${String(index).padStart(12, '0')}`
  const companies = m.rows(count, (index) => {
    const name = COMPANIES[index] ?? `Startup ${index} ${m.last()}`
    return {
      cells: {
        'Record ID': id(1, index),
        Record: name,
        Name: name,
        Domains: m.often(0.8, () => `startup${index}.example`),
        Description: m.often(0.4, m.note),
        'Primary location > City': m.often(0.5, () => 'Lyon'),
        'Primary location > Country code': m.often(0.5, () => 'FR'),
        'Employee range': '11-50',
        'Owner > Name': m.often(0.6, m.owner),
        'Created at': `${written.second(m.day()).replace(' ', 'T')}.000000000Z`,
      },
      isUsable: true,
    }
  })
  const people = m.rows(count, (index) => {
    const [first, last] = [m.first(), m.last()]
    const cells = {
      'Record ID': id(2, index),
      Record: `${first} ${last}`,
      'Name > First name': first,
      'Name > Last name': last,
      'Email addresses': m.often(0.9, m.email),
      'Phone numbers': m.often(0.3, m.phone),
      'Job title': m.often(0.5, () => 'CTO'),
      'Company > Record': companies[index]?.cells.Name as string,
      'Company > Record ID': id(1, index),
      'Primary location > Country code': m.often(0.4, () => 'DE'),
      'Created at': `${written.second(m.day()).replace(' ', 'T')}Z`,
    }
    return { cells, isUsable: isReachable(cells, ['Name > First name'], ['Email addresses']) }
  })
  const good = people.filter(({ bad, isUsable }) => isUsable && bad.length === 0)
  const deals = m.rows(count, (index) => {
    const person = m.pick(good).cells
    const cells = {
      'Record ID': id(3, index),
      'Deal name': m.chance(0.03) ? m.blank() : `Seed ${index}`,
      'Deal stage': m.pick(['Lead', 'In Progress', 'Won 🎉', 'Lost']),
      'Deal value > Currency value': m.often(0.8, () => m.pick(['1200.5', '25000', '0.25'])),
      'Deal value > Currency code': m.pick(['EUR', 'USD']),
      'Associated company > Record': companies[index]?.cells.Name as string,
      'Associated company > Record ID': id(1, index),
      'Associated people > Record': person.Record as string,
      'Associated people > Record ID': person['Record ID'] as string,
      'Deal owner > Name': m.owner(),
      'Created at': `${written.second(m.day()).replace(' ', 'T')}Z`,
    }
    if (/^(?:Lead|In)/.test(cells['Deal stage'])) m.wrong('stage', '')
    return { cells, isUsable: isCalled(cells['Deal name']) }
  })
  return [
    { name: 'attio-companies.csv', object: 'company', text: csv(COMPANY, companies), rows: companies },
    { name: 'attio-people.csv', object: 'contact', text: csv(PEOPLE, people), rows: people },
    { name: 'attio-deals.csv', object: 'deal', text: csv(DEALS, deals), rows: deals },
  ]
}
