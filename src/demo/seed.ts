import { command, json, org } from '../command/command.ts'
import { usage } from '../lib/problem.ts'
import { DAY_MS, isDate } from '../lib/time.ts'
import type { CommandStore } from '../store/open.ts'
import { USUAL_RETENTION_DAYS } from '../webhooks/delivery/retention.ts'
import { type Profile, SIZES } from './story/steps.ts'

const PROFILES = Object.keys(SIZES)

export const seed = command({
  name: 'seed',
  summary: 'Fill an empty organisation with the sample data of a sales team',
  options: {
    profile: { type: 'string', placeholder: 'NAME', default: 'demo', help: `number of deals: ${PROFILES.join(', ')}` },
    seed: {
      type: 'string',
      placeholder: 'N',
      default: '1',
      help: 'the same number produces the same records, for the same --as-of',
    },
    asOf: { type: 'string', placeholder: 'DATE', help: 'last day of the sample data; today by default' },
    org,
    json,
  },
  audit: 'seed',
  run: ({ options, writeInParts, openOrg }) => {
    if (!PROFILES.includes(options.profile)) throw usage(`--profile must be one of ${PROFILES.join(', ')}.`)
    if (!/^\d{1,15}$/.test(options.seed)) throw usage('--seed must be a whole number.')
    const day = options.asOf ?? new Date().toISOString().slice(0, 10)
    if (!isDate(day)) throw usage('--as-of must be a valid date, in the form YYYY-MM-DD.')
    const progress = !options.json && process.stderr.isTTY
    const write = async (store: CommandStore, org: number) => {
      const { replaySeed } = await import('./replay/replay.ts')
      const made = replaySeed(store, {
        org,
        seed: Number(options.seed),
        profile: options.profile as Profile,
        asOf: Date.parse(day),
        // A server would spend its first minutes purging the others: three of four in a large profile.
        eventsFrom: store.clock.now() - USUAL_RETENTION_DAYS * DAY_MS,
        ...(progress ? { onProgress: (steps: number) => void process.stderr.write(`\r${steps} steps `) } : {}),
      })
      if (progress) process.stderr.write('\r')
      const { members, tags, companies, contacts, deals, notes, tasks, lists, meetings, conversations, messages } = made
      return {
        json: { profile: options.profile, seed: Number(options.seed), as_of: day, ...made },
        audit: { detail: { profile: options.profile } },
        text: `Created ${deals} deals, ${companies} companies, ${contacts} contacts, ${notes} notes, ${tasks} tasks, ${meetings} meetings, ${conversations} conversations with ${messages} messages, ${lists} lists, ${tags} tags and ${members} members.`,
      }
    }
    return openOrg((opened, org) => writeInParts(opened, (store) => write(store, org)))
  },
})
