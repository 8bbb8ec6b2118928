import { COMPANIES, csv, isNamed, isReachable, mess, type ProductFile, written } from './mess.ts'

// Salesforce: reports exported as details, with every cell in quotes, days as the locale of the user has them, and the 18
// characters of its record ids.

const ACCOUNTS =
  'Account Owner,Account Name,Type,Parent Account,Rating,Last Activity,Last Modified Date,Created Date,Billing Street,Billing City,Billing State/Province,Billing Zip/Postal Code,Billing Country,Shipping City,Phone,Fax,Website,Industry,Annual Revenue Currency,Annual Revenue,Employees,Description,Account ID'
const CONTACTS =
  'Salutation,First Name,Middle Name,Last Name,Title,Department,Account Name,Account Owner,Contact Owner,Mailing Street,Mailing City,Mailing State/Province,Mailing Zip/Postal Code,Mailing Country,Phone,Mobile,Fax,Email,Email Opt Out,Do Not Call,Lead Source,Birthdate,Description,Created Date,Contact ID'
const OPPORTUNITIES =
  'Account Owner,Opportunity Owner,Account Name,Opportunity Name,Stage,Fiscal Period,Amount Currency,Amount,Probability (%),Age,Close Date,Created Date,Next Step,Lead Source,Type,Description,Opportunity ID'

export function salesforce(): ProductFile[] {
  const m = mess(303)
  const id = (prefix: string, index: number): string =>
    `${prefix}5g00000${String(index).padStart(5, '0')}AA${m.digits(2)}`
  const accounts = m.rows(200, (index) => ({
    cells: {
      'Account Owner': m.owner(),
      'Account Name': COMPANIES[index] ?? `Account ${index} ${m.last()}`,
      Type: m.often(0.5, () => 'Customer - Direct'),
      'Created Date': written.american(m.day()),
      'Billing Street': m.often(0.5, () => '1 Market St\nSuite 300'),
      'Billing City': m.often(0.5, () => 'San Francisco'),
      'Billing State/Province': m.often(0.5, () => 'CA'),
      'Billing Zip/Postal Code': m.often(0.5, () => m.digits(5)),
      'Billing Country': m.often(0.6, m.country),
      Phone: m.often(0.4, () => (m.chance(0.1) ? m.wrong('phone', 'ask') : '(415) 555-0132')),
      Website: m.often(0.4, () => `http://www.account${index}.example`),
      'Annual Revenue Currency': m.pick(['USD', 'EUR', '']),
      'Annual Revenue': m.often(0.3, () => m.pick(['1,200,000.00', '350,000.00'])),
      Employees: m.often(0.4, () => String(m.number(5000))),
      Description: m.often(0.3, m.note),
      'Account ID': id('001', index),
    },
    isUsable: true,
  }))
  const contacts = m.rows(200, (index) => {
    const cells = {
      Salutation: m.pick(['Mr.', 'Ms.', 'Dr.', '']),
      'First Name': m.often(0.8, m.first),
      'Middle Name': m.chance(0.1) ? 'Q.' : '',
      'Last Name': m.last(),
      Title: m.often(0.6, () => 'VP, Sales'),
      'Account Name': m.often(0.7, m.company),
      'Account Owner': 'Someone Else',
      'Contact Owner': m.owner(),
      'Mailing Street': m.often(0.4, () => '5 rue de l’Église'),
      'Mailing City': m.often(0.4, () => 'Lyon'),
      'Mailing State/Province': m.often(0.3, () => 'Rhône'),
      'Mailing Zip/Postal Code': m.often(0.4, () => '69002'),
      'Mailing Country': m.often(0.5, m.country),
      Phone: m.often(0.5, m.phone),
      Mobile: m.often(0.3, () => '0171 2345678'),
      Email: m.often(0.8, m.email),
      'Email Opt Out': m.pick(['0', '1', '']),
      'Do Not Call': m.pick(['0', '0', '1']),
      'Lead Source': m.often(0.4, () => 'Trade Show'),
      Birthdate: m.often(0.1, () => written.american(m.day())),
      Description: m.often(0.3, m.note),
      'Created Date': written.american(m.day()),
      'Contact ID': id('003', index),
    }
    return { cells, isUsable: isReachable(cells, ['First Name', 'Last Name'], ['Email', 'Phone', 'Mobile']) }
  })
  const opportunities = m.rows(200, (index) => {
    const stage = m.pick(['Prospecting', 'Negotiation/Review', 'Closed Won', 'Closed Lost', 'Proposal'])
    const cells = {
      'Account Owner': 'Someone Else',
      'Opportunity Owner': m.owner(),
      'Account Name': m.often(0.9, m.company),
      'Opportunity Name': m.chance(0.03) ? m.blank() : `${m.company()}-${m.number(900)}Widgets`,
      Stage: /Closed|^Proposal/.test(stage) ? stage : m.wrong('stage', stage),
      'Amount Currency': m.pick(['USD', 'EUR']),
      Amount: m.often(0.8, () =>
        m.chance(0.05) ? m.wrong('amount', 'N.N.') : m.pick(['12,000.00', '500.00', 'USD 7,250.50']),
      ),
      'Probability (%)': '50',
      'Close Date': written.american(m.day()),
      'Created Date': written.american(m.day()),
      Description: m.often(0.3, m.note),
      'Opportunity ID': id('006', index),
    }
    return { cells, isUsable: isNamed(cells['Opportunity Name']) }
  })
  const style = { everyQuoted: true }
  return [
    { name: 'salesforce-accounts.csv', object: 'company', text: csv(ACCOUNTS, accounts, style), rows: accounts },
    { name: 'salesforce-contacts.csv', object: 'contact', text: csv(CONTACTS, contacts, style), rows: contacts },
    {
      name: 'salesforce-opportunities.csv',
      object: 'deal',
      text: csv(OPPORTUNITIES, opportunities, style),
      rows: opportunities,
    },
  ]
}
