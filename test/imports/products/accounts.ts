import type { ImportObject } from '../../../src/imports/writable.ts'
import { csv, type MadeRow, mess, OWNER, type ProductFile, written } from './mess.ts'

// The whole accounts of HubSpot and of Pipedrive of one firm: both count their records from 1, every third person is in both,
// and what people did refers to records by their ids, some of which are gone.

/** A row of notes or activities, with whom it is about: by email, company and title, as far as these came in. */
export type ActivityRow = MadeRow & { id: string; mark: string; emails: string[]; companies: string[]; deals: string[] }

export type Account = { product: string; files: ProductFile[]; activities: { name: string; rows: ActivityRow[] }[] }

const PEOPLE = 60
const FIRMS = 24
const DEALS = 30
const GONE = '999'

const both = (index: number): boolean => index % 3 === 0
const firmOf = (index: number): number => index % FIRMS

/** How a product writes what the records are called by here. */
type Names = {
  product: string
  /** The end of the emails of people who are only in this account. */
  host: string
  firm: (index: number) => string
}

const emailOf = ({ host }: Names, index: number): string =>
  both(index) ? `person${index}@both.example` : `person${index}@${host}`
const dealOf = ({ product }: Names, index: number): string => `Deal ${index} of ${product}`

type Of = { contacts: number[]; companies: number[]; deals: number[] }

/** Rows of something that people did; `cellsOf` writes one about these records. */
function activities(
  m: ReturnType<typeof mess>,
  names: Names,
  count: number,
  firstId: number,
  cellsOf: (row: {
    id: string
    mark: string
    of: Of
    joined: (ids: number[], isGone: boolean) => string
    index: number
  }) => {
    cells: Record<string, string>
    needsLink: boolean
  },
): ActivityRow[] {
  const facts: Omit<ActivityRow, keyof MadeRow>[] = []
  const rows = m.rows(count, (index) => {
    const person = m.number(PEOPLE)
    const of = {
      contacts: m.chance(0.8) ? [person, ...(m.chance(0.2) ? [(person + 1) % PEOPLE] : [])] : [],
      companies: m.chance(0.4) ? [firmOf(person)] : [],
      deals: m.chance(0.3) ? [m.number(DEALS)] : [],
    }
    const id = String(firstId + index)
    const mark = `${names.product} mark ${id}`
    const joined = (ids: number[], isGone: boolean): string => {
      const all = ids.map((each) => String(each + 1))
      return (isGone && m.chance(0.05) ? [...all, m.wrong('links', GONE)] : all).join(';')
    }
    const { cells, needsLink } = cellsOf({ id, mark, of, joined, index })
    facts.push({
      id,
      mark,
      emails: of.contacts.map((each) => emailOf(names, each)),
      companies: of.companies.map(names.firm),
      deals: of.deals.map((each) => dealOf(names, each)),
    })
    return { cells, isUsable: !needsLink || Object.values(of).some((ids) => ids.length > 0) }
  })
  return rows.map((row, index) => ({ ...row, ...(facts[index] as (typeof facts)[number]) }))
}

const file = (name: string, object: ImportObject, rows: MadeRow[], style = {}): ProductFile => ({
  name,
  object,
  text: csv(Object.keys(rows[0]?.cells ?? {}).join(','), rows, style),
  rows,
})

export function hubspotAccount(): Account {
  const m = mess(611)
  const names = { product: 'hubspot', host: 'hub.example', firm: (index: number) => `Hub Firm ${index}` }
  const companies = m.rows(FIRMS, (index) => ({
    cells: {
      'Record ID': String(index + 1),
      'Company name': names.firm(index),
      'Company Domain Name': `firm${index}.example`,
      'Company owner': OWNER.email,
    },
    isUsable: true,
  }))
  const contacts = m.rows(PEOPLE, (index) => ({
    cells: {
      'Record ID': String(index + 1),
      'First Name': `Person${index}`,
      'Last Name': 'Blom',
      Email: emailOf(names, index),
      'Associated Company IDs': String(firmOf(index) + 1),
      'Lifecycle Stage': 'lead',
    },
    isUsable: true,
  }))
  const deals = m.rows(DEALS, (index) => ({
    cells: {
      'Record ID': String(index + 1),
      'Deal Name': dealOf(names, index),
      'Deal Stage': m.pick(['Qualified', 'closedwon', 'closedlost']),
      Amount: String(index * 100),
      'Associated Contact IDs': String(index + 1),
      'Associated Company IDs': String(firmOf(index) + 1),
    },
    isUsable: true,
  }))
  const linksOf = ({ contacts, companies, deals }: Of, joined: (ids: number[], isGone: boolean) => string) => ({
    'Associated Contact IDs': joined(contacts, contacts.length > 0),
    'Associated Company IDs': joined(companies, false),
    'Associated Deal IDs': joined(deals, false),
  })
  const html = (mark: string): string => m.pick([mark, `<p>${mark}</p><p>and <b>more</b></p>`, `${mark} &amp; more`])
  const notes = activities(m, names, 80, 1, ({ id, mark, of, joined }) => ({
    cells: {
      'Record ID': id,
      'Note body': html(mark),
      'Activity date': written.minute(m.day()),
      'Activity assigned to': m.pick([OWNER.email, 'Carla Gómez', '']),
      ...linksOf(of, joined),
    },
    needsLink: true,
  }))
  const tasks = activities(m, names, 60, 1001, ({ id, mark, of, joined }) => ({
    cells: {
      'Record ID': id,
      'Task Title': mark,
      'Task Status': m.pick(['Not started', 'In progress', 'Waiting', 'Deferred', 'Completed']),
      'Task Type': m.pick(['To-do', 'Call', 'Email', 'LinkedIn message']),
      Priority: m.pick(['NONE', 'LOW', 'MEDIUM', 'HIGH']),
      'Due date': m.chance(0.05) ? m.wrong('due_at', 'next week or so') : written.minute(m.day()),
      'Assigned to': m.owner(),
      'Task notes': m.often(0.5, () => '<div>one</div><div>two</div>'),
      ...linksOf(of, joined),
    },
    needsLink: false,
  }))
  const calls = activities(m, names, 30, 2001, ({ id, mark, of, joined }) => ({
    cells: {
      'Record ID': id,
      'Call Title': m.pick(['', mark]),
      'Call notes': mark,
      'Activity date': written.minute(m.day()),
      'Call outcome': m.pick(['Connected', 'Left voicemail', '']),
      'Call duration': '00:03:10',
      ...linksOf(of, joined),
    },
    needsLink: false,
  }))
  const meetings = activities(m, names, 20, 3001, ({ id, mark, of, joined }) => ({
    cells: {
      'Record ID': id,
      'Meeting name': mark,
      'Meeting start time': written.minute(m.day()),
      'Meeting outcome': m.pick(['Completed', 'No show', 'Canceled', 'Scheduled']),
      'Internal meeting notes': 'Talked',
      ...linksOf(of, joined),
    },
    needsLink: false,
  }))
  return {
    product: 'hubspot',
    files: [
      file('hub-companies.csv', 'company', companies),
      file('hub-contacts.csv', 'contact', contacts),
      file('hub-deals.csv', 'deal', deals),
      file('hub-notes.csv', 'note', notes, { everyQuoted: true }),
      file('hub-tasks.csv', 'task', tasks),
      file('hub-calls.csv', 'task', calls),
      file('hub-meetings.csv', 'task', meetings),
    ],
    activities: [
      { name: 'hub-notes.csv', rows: notes },
      { name: 'hub-tasks.csv', rows: tasks },
      { name: 'hub-calls.csv', rows: calls },
      { name: 'hub-meetings.csv', rows: meetings },
    ],
  }
}

export function pipedriveAccount(): Account {
  const m = mess(612)
  const names = { product: 'pipedrive', host: 'pipe.example', firm: (index: number) => `Pipe Org ${index}` }
  const organizations = m.rows(FIRMS, (index) => ({
    cells: {
      'Organization - ID': String(index + 1),
      'Organization - Name': names.firm(index),
      'Organization - Owner': OWNER.name,
    },
    isUsable: true,
  }))
  const people = m.rows(PEOPLE, (index) => ({
    cells: {
      'Person - ID': String(index + 1),
      'Person - Name': `Person${index} Blom`,
      'Person - Email - Work': emailOf(names, index),
      'Person - Organization': names.firm(firmOf(index)),
    },
    isUsable: true,
  }))
  const deals = m.rows(DEALS, (index) => ({
    cells: {
      'Deal - ID': String(index + 1),
      'Deal - Title': dealOf(names, index),
      'Deal - Stage': 'Qualified',
      'Deal - Status': m.pick(['Open', 'Won', 'Lost']),
      'Deal - Contact person ID': String(index + 1),
      'Deal - Organization ID': String(firmOf(index) + 1),
    },
    isUsable: true,
  }))
  const one = ([id]: number[]): string => (id === undefined ? '' : String(id + 1))
  const linked = activities(m, names, 90, 1, ({ id, mark, of, index }) => {
    of.contacts.splice(1)
    const isNamed = index % 2 === 0
    return {
      cells: {
        'Activity - ID': id,
        'Activity - Subject': mark,
        'Activity - Type': m.pick(['Call', 'Meeting', 'Task', 'Deadline', 'Email', 'Lunch']),
        'Activity - Done': m.pick(['Done', 'To do']),
        'Activity - Due date': written.iso(m.day()),
        'Activity - Due time': m.pick(['', '14:30', '09:00:00']),
        'Activity - Duration': m.pick(['', '00:30']),
        'Activity - Note': m.often(0.5, () => '<ul><li>one</li><li>two</li></ul>'),
        'Activity - Assigned to user': m.owner(),
        // By id, or by name where no id was exported.
        'Activity - Contact person ID': isNamed ? '' : one(of.contacts),
        'Activity - Contact person': of.contacts[0] === undefined || !isNamed ? '' : emailOf(names, of.contacts[0]),
        'Activity - Organization': of.companies[0] === undefined ? '' : names.firm(of.companies[0]),
        'Activity - Deal ID': isNamed ? '' : one(of.deals),
        'Activity - Deal': of.deals[0] === undefined ? '' : dealOf(names, of.deals[0]),
      },
      needsLink: false,
    }
  })
  const notes = activities(m, names, 50, 1, ({ id, mark, of }) => {
    of.contacts.splice(1)
    return {
      cells: {
        ID: id,
        Content: `<p>${mark}</p>`,
        'Add time': written.second(m.day()),
        User: m.pick([OWNER.name, 'Carla Gómez']),
        'Deal ID': one(of.deals),
        'Person ID': one(of.contacts),
        'Organization ID': one(of.companies),
      },
      needsLink: true,
    }
  })
  const style = { mark: true }
  return {
    product: 'pipedrive',
    files: [
      file('pipe-organizations.csv', 'company', organizations, style),
      file('pipe-people.csv', 'contact', people, style),
      file('pipe-deals.csv', 'deal', deals, style),
      file('pipe-activities.csv', 'task', linked, style),
      file('pipe-notes.csv', 'note', notes, style),
    ],
    activities: [
      { name: 'pipe-activities.csv', rows: linked },
      { name: 'pipe-notes.csv', rows: notes },
    ],
  }
}
