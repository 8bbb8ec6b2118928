import { COMPANIES, csv, isCalled, isReachable, mess, type ProductFile, ROWS, written } from './mess.ts'

// Close: names of its API; leads are firms, contacts are rows of their own, and opportunities have no title. Amounts are in
// cents beside the formatted ones.

const LEADS =
  'id,display_name,description,url,status_id,status_label,created_by_name,date_created,date_updated,primary_address_city,primary_address_country,num_opportunities,html_url'
const CONTACTS =
  'lead_id,lead_name,lead_status_label,contact_id,contact_name,title,primary_email,primary_email_type,other_emails,primary_phone,primary_phone_type,primary_url,date_created'
const OPPORTUNITIES =
  'id,lead_id,lead_name,contact_id,contact_name,user_id,user_name,status_id,status_label,status_type,pipeline_name,value,value_currency,value_formatted,value_period,confidence,note,date_won,date_created'

export function close(count = ROWS): ProductFile[] {
  const m = mess(606)
  const lead = (index: number): string => `lead_${String(index).padStart(20, 'a')}`
  const leads = m.rows(count, (index) => ({
    cells: {
      id: lead(index),
      display_name: COMPANIES[index] ?? `Lead ${index} ${m.last()}`,
      description: m.often(0.4, m.note),
      url: m.often(0.5, () => `https://lead${index}.example`),
      status_label: m.pick(['Potential', 'Bad Fit', 'Customer']),
      date_created: `${written.second(m.day()).replace(' ', 'T')}.123000+00:00`,
      primary_address_city: m.often(0.4, () => 'Porto'),
      primary_address_country: m.often(0.4, m.country),
    },
    isUsable: true,
  }))
  const firms = leads.map(({ cells }) => cells.display_name as string)
  const contacts = m.rows(count, (index) => {
    const at = index % 50
    const cells = {
      lead_id: lead(at),
      lead_name: firms[at] as string,
      contact_id: `cont_${String(index).padStart(20, 'b')}`,
      contact_name: `${m.first()} ${m.last()}`,
      title: m.often(0.5, () => 'Head of Data'),
      primary_email: m.often(0.9, m.email),
      primary_email_type: 'office',
      primary_phone: m.often(0.4, m.phone),
      primary_phone_type: 'mobile',
      date_created: written.second(m.day()),
    }
    return { cells, isUsable: isReachable(cells, ['contact_name'], ['primary_email']) }
  })
  const good = contacts.filter(({ bad, isUsable }) => isUsable && bad.length === 0)
  const opportunities = m.rows(count, (index) => {
    const at = index % 50
    const [stage, type] = m.pick([
      ['Qualified', 'active'],
      ['Won', 'won'],
      ['Lost - no budget', 'lost'],
      ['Demo', 'active'],
    ] as const)
    const person = good[at]?.cells
    const cells = {
      id: `oppo_${String(index).padStart(20, 'c')}`,
      lead_id: lead(at),
      lead_name: firms[at] as string,
      contact_id: person?.contact_id as string,
      contact_name: person?.contact_name as string,
      user_name: m.owner(),
      status_label: stage,
      status_type: type,
      value: String(m.number(900) * 100),
      value_currency: 'USD',
      value_formatted: m.chance(0.05) ? m.wrong('amount', '$500 monthly') : '$1,250.50',
      value_period: 'one_time',
      confidence: '50',
      note: m.often(0.4, m.note),
      date_created: written.second(m.day()),
    }
    return { cells, isUsable: isCalled(cells.lead_name) }
  })
  return [
    { name: 'close-leads.csv', object: 'company', text: csv(LEADS, leads, { eol: '\n' }), rows: leads },
    { name: 'close-contacts.csv', object: 'contact', text: csv(CONTACTS, contacts, { eol: '\n' }), rows: contacts },
    {
      name: 'close-opportunities.csv',
      object: 'deal',
      text: csv(OPPORTUNITIES, opportunities, { eol: '\n' }),
      rows: opportunities,
    },
  ]
}
