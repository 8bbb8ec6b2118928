import { applySettings, showSettings } from '../../app/settings/document.ts'
import type { StepSettings } from '../../sequences/sequences/settings-steps.ts'
import type { CommandStore } from '../../store/open.ts'
import { type StepWords, WORDS } from '../words/words.ts'

const COMPANY = '{{#company.name}}{{company.name}}{{/company.name}}{{^company.name}}your team{{/company.name}}'
const [GREETING, SIGNATURE] = ['Hello {{contact.first_name}},', '{{sender.name}}\n{{sender.email}}']

function stepOf({ subject = null, body = null, ...step }: StepWords): StepSettings {
  const text = Array.isArray(body) ? [GREETING, ...body, SIGNATURE].join('\n\n') : body
  return { ...step, subject: subject && withCompany(subject), body: text && withCompany(text) }
}

const withCompany = (text: string): string => text.replaceAll('{company}', COMPANY)

/**
 * Creates the team's sequences with the default business hours. Existing sequences stay unchanged, and then nobody is
 * enrolled.
 */
export function setSequences(store: CommandStore, clock: CommandStore['clock'], org: number): void {
  const { hours, sequences } = showSettings(store, org)
  if (sequences.length > 0) return
  const { key = null } = hours.find(({ is_default }) => is_default) ?? hours[0] ?? {}
  applySettings({ ...store, clock }, org, {
    sequences: WORDS.sequences.map(({ steps, ...texts }) => ({
      ...texts,
      status: 'active' as const,
      hours: key,
      steps: steps.map(stepOf),
    })),
  })
}

/** Does nothing if the sequence does not exist. */
export function retireSequence(
  store: CommandStore,
  clock: CommandStore['clock'],
  org: number,
  { key, status }: { key: string; status: 'paused' | 'archived' },
): void {
  const { sequences } = showSettings(store, org)
  applySettings({ ...store, clock }, org, {
    sequences: sequences.map((each) => (each.key === key ? { ...each, status } : each)),
  })
}
