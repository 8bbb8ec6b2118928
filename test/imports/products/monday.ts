import { type CellValue, workbook } from '../../support/workbook.ts'
import { COMPANIES, isReachable, type MadeRow, mess, type ProductFile, ROWS } from './mess.ts'

// monday.com: a board as a workbook. Its name and the titles of its groups stand above headers that repeat, subitems stand
// below their item, and sums below each group.

const ACCOUNTS =
  'Name,Subitems,Domain,Industry,No. of employees,Headquarters location,Contacts,Item ID (auto generated)'
const CONTACTS = 'Name,Subitems,Owner,Email,Phone,Title,Accounts,Priority,Comments,Item ID (auto generated)'
const DEALS =
  'Name,Subitems,Owner,Stage,Deal Value,Contacts,Accounts,Expected Close Date,Close Probability,Item ID (auto generated)'

/** Days of a workbook are numbers. */
const serialOf = (day: Date): number => Math.floor(day.getTime() / 86_400_000) + 25_569

function board(header: string, rows: readonly MadeRow[]): Buffer {
  const columns = header.split(',')
  const cellOf = (column: string, text: string): CellValue => {
    if (column === 'Expected Close Date' && /^\d+$/.test(text)) return { serial: Number(text), style: 'day' }
    return /^(?:Deal Value|No\. of employees|Item ID.*)$/.test(column) && /^\d+(?:\.\d+)?$/.test(text)
      ? Number(text)
      : text
  }
  const lines: CellValue[][] = [['My board'], ['Everything in one place'], []]
  rows.forEach(({ cells }, index) => {
    if (index % 100 === 0) lines.push([`Group ${index / 100}`], columns)
    lines.push(columns.map((column) => cellOf(column, cells[column] ?? '')))
    if (index % 25 === 3) lines.push(['Subitems', 'Name', 'Owner'], ['', 'A step', 'Ana'])
    if (index % 100 === 99) lines.push(['', '', '', 7], [])
  })
  return workbook(lines, { sheets: { updates: [['Updates'], ['Item ID', 'Item Name', 'Post']] } })
}

export function monday(count = ROWS): ProductFile[] {
  const m = mess(909)
  const accounts = m.rows(count, (index) => ({
    cells: {
      Name: COMPANIES[index] ?? `Account ${index} ${m.last()}`,
      Domain: m.often(0.6, () => `account${index}.example`),
      Industry: m.often(0.5, () => 'Retail'),
      'No. of employees': m.often(0.4, () => String(m.number(900) + 1)),
      'Item ID (auto generated)': String(1_234_000_000 + index),
    },
    isUsable: true,
  }))
  const contacts = m.rows(count, (index) => {
    const cells = {
      Name: `${m.first()} ${m.last()}`,
      Owner: m.often(0.6, m.owner),
      Email: m.often(0.8, m.email),
      Phone: m.often(0.4, () => '491712345678'),
      Title: m.often(0.4, () => 'Buyer'),
      Accounts: accounts[index]?.cells.Name as string,
      Comments: m.often(0.3, m.note),
      'Item ID (auto generated)': String(1_235_000_000 + index),
    }
    return { cells, isUsable: isReachable(cells, ['Name'], ['Email']) }
  })
  const deals = m.rows(count, (index) => ({
    cells: {
      Name: `Order ${index}`,
      Owner: m.often(0.8, m.owner),
      Stage: m.pick(['Qualified', 'Won', 'Lost', 'Negotiation']),
      'Deal Value': m.often(0.8, () => m.pick(['1200.5', '25000', '1.25'])),
      Accounts: accounts[index]?.cells.Name as string,
      'Expected Close Date': m.often(0.6, () => String(serialOf(m.day()))),
      'Item ID (auto generated)': String(1_236_000_000 + index),
    },
    isUsable: true,
  }))
  return [
    { name: 'monday-accounts.xlsx', object: 'company', text: board(ACCOUNTS, accounts), rows: accounts },
    { name: 'monday-contacts.xlsx', object: 'contact', text: board(CONTACTS, contacts), rows: contacts },
    { name: 'monday-deals.xlsx', object: 'deal', text: board(DEALS, deals), rows: deals },
  ]
}
