import { COMPANIES, csv, isReachable, mess, type ProductFile, ROWS, written } from './mess.ts'

// Folk: plain names of columns, several values in a cell with commas between them, and groups.

const COMPANY = 'Name,Description,Emails,Urls,Addresses,Industry,Groups,Created at'
const PEOPLE =
  'First name,Last name,Full name,Emails,Phones,Companies,Job title,Addresses,Urls,Gender,Birthday,Groups,Created at'

export function folk(count = ROWS): ProductFile[] {
  const m = mess(808)
  const companies = m.rows(count, (index) => ({
    cells: {
      Name: COMPANIES[index] ?? `Studio ${index} ${m.last()}`,
      Description: m.often(0.4, m.note),
      Urls: m.often(0.5, () => `studio${index}.example`),
      Addresses: m.often(0.3, () => '5 rue de l’Église, Lyon'),
      Industry: m.often(0.5, () => 'Design'),
      Groups: m.often(0.5, () => 'Clients'),
      'Created at': written.iso(m.day()),
    },
    isUsable: true,
  }))
  const people = m.rows(count, (index) => {
    const [first, last] = [m.first(), m.last()]
    const cells = {
      'First name': first,
      'Last name': last,
      'Full name': `${first} ${last}`,
      Emails: m.often(0.9, m.email),
      Phones: m.often(0.3, m.phone),
      Companies: companies[index]?.cells.Name as string,
      'Job title': m.often(0.5, () => 'Founder'),
      Groups: m.often(0.5, () => 'Clients, Press'),
      'Created at': written.iso(m.day()),
    }
    return { cells, isUsable: isReachable(cells, ['First name', 'Last name'], ['Emails']) }
  })
  return [
    { name: 'folk-companies.csv', object: 'company', text: csv(COMPANY, companies), rows: companies },
    { name: 'folk-people.csv', object: 'contact', text: csv(PEOPLE, people, { mark: true }), rows: people },
  ]
}
