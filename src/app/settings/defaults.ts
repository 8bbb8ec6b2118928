import type { SettingsDocument } from './document.ts'

/** The initial settings of a new organisation. */
export const defaultSettings = (timezone: string): SettingsDocument => ({
  pipelines: [
    {
      key: 'sales',
      name: 'Sales',
      is_default: true,
      stages: [
        { key: 'qualified', name: 'Qualified' },
        { key: 'demo', name: 'Demo' },
        { key: 'proposal', name: 'Proposal' },
        { key: 'negotiation', name: 'Negotiation' },
        { key: 'won', name: 'Won', outcome: 'won' },
        { key: 'lost', name: 'Lost', outcome: 'lost' },
      ],
    },
  ],
  close_reasons: [
    { key: 'best_fit', name: 'Best fit', outcome: 'won' },
    { key: 'best_price', name: 'Best price', outcome: 'won' },
    { key: 'existing_relationship', name: 'Existing relationship', outcome: 'won' },
    { key: 'price', name: 'Price', outcome: 'lost' },
    { key: 'competitor', name: 'Competitor', outcome: 'lost' },
    { key: 'no_budget', name: 'No budget', outcome: 'lost' },
    { key: 'bad_timing', name: 'Bad timing', outcome: 'lost' },
    { key: 'no_response', name: 'No response', outcome: 'lost' },
    { key: 'missing_feature', name: 'Missing feature', outcome: 'lost' },
  ],
  hours: [
    {
      key: 'office',
      name: 'Office',
      timezone,
      is_default: true,
      weekly: { mon: WORKDAY, tue: WORKDAY, wed: WORKDAY, thu: WORKDAY, fri: WORKDAY },
    },
  ],
})

const WORKDAY = [{ from: '09:00', to: '17:30' }]
