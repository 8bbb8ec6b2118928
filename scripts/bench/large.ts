import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** How long one client, which sends requests one after the other, waits for a response. */
export type Wait = { name: string; p50_ms: number; p99_ms: number; failed: number; goal_ms?: number }

export type Large = {
  url: string
  token: string
  call: (path: string, body?: unknown) => Promise<Record<string, never>>
  /** Runs wrk with one connection. */
  measure: (env: Record<string, string>) => Promise<Omit<Wait, 'name' | 'goal_ms'>>
}

const COMMON = ['seats', 'rollout', 'annual', 'licence', 'renewal', 'additional', 'upgrade', 'onboarding', 'training']
const TEAMS = ['sales', 'service', 'field', 'planning', 'support', 'finance', 'purchasing']

/**
 * Searches and smart lists in the largest profile. Every request differs from the previous ones, so that none is
 * answered from the page cache.
 */
export async function waits({ call, measure, token }: Large): Promise<Wait[]> {
  const found: Wait[] = []
  const ask = async (name: string, goal_ms: number, paths: string[]) => {
    const file = join(tmpdir(), `dealbox-bench-${process.pid}-paths`)
    writeFileSync(file, paths.join('\n'))
    found.push({ name, goal_ms, ...(await measure({ KIND: 'paths', IDS: file, TOKEN: token })) })
  }
  const search = (name: string, words: string[]) => ask(`search: ${name}`, 10, limits('/deals?q=', words))

  await search('a common word', COMMON)
  await search(
    'two words',
    COMMON.flatMap((word) => TEAMS.map((team) => `${word}+${team}`)),
  )
  await search(
    'the first letters of a word',
    COMMON.flatMap((word) => [1, 2, 3, 4].map((length) => word.slice(0, length))),
  )
  await search(
    'a number of seats',
    Array.from({ length: 60 }, (_, index) => String(index * 5)),
  )
  await search('a word that no deal has', ['zzyzx', 'qwertz', 'nowhere'])
  await ask(
    'search: a common word of one owner, by amount',
    20,
    limits(`/deals?sort=-amount&owner_id=${await someOwner(call)}&q=`, COMMON),
  )

  const smart = async (name: string, filter: unknown) => {
    const { id } = await call('/lists', { name, object: 'contact', kind: 'smart', filter })
    await ask(`smart list: ${name}`, 20, limits(`/lists/${id}/members`, ['']))
  }
  const newsletter = { field: 'custom_fields.newsletter', op: 'eq', value: true }
  const phone = { field: 'custom_fields.preferred_channel', op: 'eq', value: 'phone' }
  await smart('one custom field', newsletter)
  await smart('two custom fields and a part of the job', {
    all: [newsletter, phone, { field: 'job_title', op: 'contains', value: 'head' }],
  })
  await smart('a custom field, or an industry, and not an owner', {
    all: [
      { any: [phone, { field: 'company.industry', op: 'eq', value: 'Logistics' }] },
      { not: { field: 'owner_id', op: 'eq', value: await someOwner(call) } },
    ],
  })
  await smart('a custom field of the company, new in 30 days', {
    all: [
      { field: 'company.custom_fields.segment', op: 'eq', value: 'enterprise' },
      { field: 'created_at', op: 'in_last_days', value: 30 },
    ],
  })
  return found
}

const limits = (path: string, words: string[]): string[] =>
  Array.from({ length: 60 }, (_, index) => 30 + index).flatMap((limit) =>
    words.map((word) => `${path}${word}${path.includes('?') ? '&' : '?'}limit=${limit}`),
  )

async function someOwner(call: Large['call']): Promise<string> {
  const { data } = (await call('/deals?limit=100')) as unknown as { data: { owner_id: string | null }[] }
  return data.find(({ owner_id }) => owner_id)?.owner_id as string
}
