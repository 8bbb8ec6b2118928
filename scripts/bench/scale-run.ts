import { capacity } from './capacity.ts'
import { LONG, type Long, type ScaleOptions, scale } from './scale.ts'
import { scaleText } from './scale-text.ts'

export const SCALE_OPTIONS = {
  orgs: { type: 'string', default: '100,1k,10k' },
  'org-deals': { type: 'string', default: '1k' },
  deals: { type: 'string', default: '50k,500k,5m' },
  folder: { type: 'string' },
  'disk-gb': { type: 'string', default: '40' },
  requests: { type: 'string', default: '1000' },
  without: { type: 'string', default: '' },
} as const

type Given = { [name in Exclude<keyof typeof SCALE_OPTIONS, 'folder'>]: string } & { folder?: string | undefined }

/** Numbers such as 500k and 5m. */
const numbers = (text: string): number[] =>
  text
    .split(',')
    .filter((each) => each !== '')
    .map((each) => Number.parseFloat(each) * (each.endsWith('m') ? 1_000_000 : each.endsWith('k') ? 1000 : 1))

/** Measures and prints, after each size as one line of JSON and at the end as tables. */
export async function runScale(tools: Parameters<typeof scale>[0], given: Given): Promise<void> {
  const options: ScaleOptions = {
    ...{ orgs: numbers(given.orgs), deals: numbers(given.deals), folder: given.folder },
    ...{ dealsOfEach: numbers(given['org-deals'])[0] as number, diskGb: Number(given['disk-gb']) },
    requests: Number(given.requests),
    without: given.without.split(',').filter((each): each is Long => LONG.includes(each as Long)),
  }
  console.log(scaleText(await scale(tools, options, (size) => console.log(`${JSON.stringify(size)}\n`))))
}

/** Beside those of SCALE_OPTIONS that it shares; 0 leaves a part out. */
export const CAPACITY_OPTIONS = {
  folders: { type: 'string', default: '8' },
  hooks: { type: 'string', default: '10k' },
} as const

/** Measures what many ask at once, and prints a line for each. */
export async function runCapacity(
  tools: Parameters<typeof capacity>[0],
  given: { [name in 'orgs' | 'org-deals' | keyof typeof CAPACITY_OPTIONS]: string } & { seconds?: string | undefined },
): Promise<void> {
  const [orgs = 0, dealsOfEach = 0, folders = 0, hooks = 0] = [
    ...[given.orgs, given['org-deals'], given.folders, given.hooks].map((each) => numbers(each)[0]),
  ]
  await capacity(tools, { orgs, dealsOfEach, folders, hooks, seconds: Number(given.seconds ?? 30) })
}
