// Notes and tasks by occasion. {seats} is the number of seats in the deal's title, {part} a team of the customer, {day}
// a weekday.

export type Occasion = 'start' | 'move' | 'change' | 'won' | 'lost'

export type NoteText = { title: string | null; body: string }

const note = (title: string | null, ...lines: string[]): NoteText => ({ title, body: lines.join('\n') })

export const NOTES: Record<Occasion, NoteText[]> = {
  start: [
    note(
      'First call',
      'Spoke for twenty minutes. They want to start with **{seats}**, the rest next year.',
      '',
      '- uses spreadsheets today',
      '- decision in the {part} team',
      '- next call on {day}',
    ),
    note('First call', 'Friendly and well prepared. Asked twice about the export of their data.'),
    note(null, 'Came in through the website. Asked for a demo with the {part} team on {day}.'),
    note(
      'Background',
      'A competitor is in the house since 2023 and the contract ends in spring.',
      '',
      'What they miss: reports, a mobile app, and somebody who answers the phone.',
    ),
    note(null, 'Left a message, tries again on {day}.'),
    note(
      'What they need',
      '1. one place for all contacts',
      '2. reminders',
      '3. a list of open offers for the {part} team',
    ),
  ],
  move: [
    note(
      'Demo',
      'Went well. The {part} team wants to try it with their own data.',
      '',
      '> "That alone would save us a day a week."',
    ),
    note('Demo', 'Six people, many questions about permissions. Sends the list of open points on {day}.'),
    note(null, 'Offer sent, with the discount for two years.'),
    note('Budget', 'The budget is there, but purchasing has to sign above 20,000.'),
    note(null, 'They asked for two references. Gave them the two in their own trade.'),
    note(
      'Security questions',
      'Their IT sent 40 questions; answered all but two. **Open:** penetration test, backup at another site.',
    ),
  ],
  change: [
    note(null, 'Moved: the person who decides is on leave until {day} next week.'),
    note('New numbers', 'They need more than they thought: now {seats}. New offer is out.'),
    note(null, 'Waiting for their budget round. Calls us back.'),
  ],
  won: [
    note(
      'Won',
      'Signed today. Starts with {seats}; the {part} team is trained first.',
      '',
      '- [ ] accounts',
      '- [ ] data from the old system',
      '- [ ] training on {day}',
    ),
    note(null, 'What decided: price per seat, and that the data stays in the house.'),
    note('Handover', 'Contact for everything technical is their {part} lead. Prefers calls before ten.'),
  ],
  lost: [
    note('Why we lost', 'They stay with what they have for another year. Worth a call next autumn.'),
    note(null, 'Too expensive, they said. A competitor gave 40 % in the first year.'),
    note('Why we lost', 'The project was stopped, not moved to somebody else. No hard feelings.'),
  ],
}

export type TaskText = { title: string; type: 'todo' | 'call' | 'email' | 'meeting'; body?: string }

export const TASKS: Record<Occasion, TaskText[]> = {
  start: [
    { title: 'Call about the inquiry', type: 'call' },
    { title: 'Ask who decides', type: 'call', body: 'And who else has to agree.' },
    { title: 'Send the brochure and the price list', type: 'email' },
    { title: 'Plan the demo', type: 'meeting' },
  ],
  move: [
    { title: 'Prepare the demo with their data', type: 'todo' },
    { title: 'Send the offer', type: 'email', body: 'With the discount for two years.' },
    { title: 'Follow up on the offer', type: 'call' },
    { title: 'Answer the questions of their IT', type: 'todo' },
  ],
  change: [
    { title: 'Ask for the new date', type: 'call' },
    { title: 'Send the new offer', type: 'email' },
  ],
  won: [
    { title: 'Hand over to onboarding', type: 'todo' },
    { title: 'Kick-off meeting', type: 'meeting' },
    { title: 'Send the first invoice', type: 'todo' },
  ],
  lost: [{ title: 'Call again next year', type: 'call' }],
}

export const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday']

/** Custom fields of the team: by object, in display order. */
const options = (...values: string[]) =>
  values.map((label, index) => ({
    value: label.toLowerCase().replace(/[^a-z0-9]+/g, '_'),
    label,
    color: ['#1f6feb', '#2da44e', '#bf8700', '#cf222e', '#8250df'][index % 5] as string,
  }))

export const FIELDS = [
  {
    object: 'contact',
    key: 'preferred_channel',
    label: 'Preferred channel',
    type: 'select',
    options: options('Email', 'Phone', 'Letter'),
  },
  { object: 'contact', key: 'newsletter', label: 'Newsletter', type: 'boolean' },
  {
    object: 'contact',
    key: 'interests',
    label: 'Interests',
    type: 'multi_select',
    options: options('Planning', 'Reports', 'Mobile', 'Support'),
  },
  {
    object: 'company',
    key: 'segment',
    label: 'Segment',
    type: 'select',
    options: options('Small', 'Mid-market', 'Enterprise'),
  },
  {
    object: 'company',
    key: 'customer_number',
    label: 'Customer number',
    type: 'text',
    is_unique: true,
    help_text: 'As on the invoices.',
  },
  { object: 'company', key: 'support_until', label: 'Support until', type: 'date' },
  { object: 'deal', key: 'seats', label: 'Seats', type: 'number' },
  {
    object: 'deal',
    key: 'competitor',
    label: 'Competitor',
    type: 'select',
    options: options('None', 'Spreadsheets', 'Old system', 'Other vendor'),
  },
  { object: 'deal', key: 'next_step', label: 'Next step', type: 'text' },
] as const

export const NEXT_STEPS = ['Demo', 'Offer', 'Reference call', 'Budget round', 'Signature']

/** Smart lists of the team. */
export const LISTS = [
  {
    name: 'Large companies',
    object: 'company',
    filter: {
      any: [
        { field: 'employee_count', op: 'gte', value: 1000 },
        { field: 'custom_fields.segment', op: 'eq', value: 'enterprise' },
      ],
    },
  },
  {
    name: 'Open deals over 50,000',
    object: 'deal',
    filter: {
      all: [
        { field: 'status', op: 'eq', value: 'open' },
        { field: 'amount', op: 'gte', value: 50_000 },
      ],
    },
  },
  {
    name: 'To be decided within 30 days',
    object: 'deal',
    filter: {
      all: [
        { field: 'status', op: 'eq', value: 'open' },
        { field: 'expected_close_date', op: 'in_next_days', value: 30 },
      ],
    },
  },
  {
    name: 'Newsletter, may be written to',
    object: 'contact',
    filter: {
      all: [
        { field: 'custom_fields.newsletter', op: 'eq', value: true },
        { field: 'do_not_contact', op: 'eq', value: false },
        { field: 'emails', op: 'not_null' },
      ],
    },
  },
  {
    name: 'Faces in logistics and transport',
    object: 'contact',
    filter: { field: 'company.industry', op: 'in', value: ['Logistics', 'Transport'] },
  },
] as const
