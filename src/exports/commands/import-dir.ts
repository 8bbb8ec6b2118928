import { statSync } from 'node:fs'
import { command, json, org } from '../../command/command.ts'
import { Problem } from '../../lib/problem.ts'
import type { CommandStore } from '../../store/open.ts'
import { type Restored, restoreExport } from '../restore.ts'

// `import DIR` restores an export; the other imports are in import.ts.

export const importDir = command({
  name: 'import',
  summary: 'Restore an export into a new organisation, with the same ids',
  args: { dir: 'a folder created by "dealbox export"' },
  options: { dryRun: { type: 'boolean', help: 'only check whether the export can be restored' }, org, json },
  audit: 'restore',
  run: ({ options, args, writeInParts, openOrg }) => {
    const { data, dryRun } = options
    if (statSync(args.dir, { throwIfNoEntry: false })?.isDirectory() !== true) {
      throw new Problem(
        404,
        'no_export',
        `${args.dir} is not a folder. To import a file, use "dealbox import contacts|companies|deals|notes|tasks|meetings FILE".`,
      )
    }
    const progress = !options.json && process.stderr.isTTY
    const restore = async (store: CommandStore, org: number) => {
      const onProgress = (records: number) => void process.stderr.write(`\r${records} records `)
      const stop = new AbortController()
      const onSignal = () => stop.abort()
      process.once('SIGINT', onSignal) // a second one ends the process at once; the next import cleans up
      const restored = await restoreExport(store, {
        dataDir: data,
        org,
        folder: args.dir,
        dryRun,
        onProgress: progress ? onProgress : undefined,
        signal: stop.signal,
      }).finally(() => process.removeListener('SIGINT', onSignal))
      if (progress) process.stderr.write('\r')
      return {
        json: restored,
        text: textOf(restored, dryRun),
        note: noteOf(restored),
        audit: { detail: { last_seq: restored.last_seq, records: restored.records } },
      }
    }
    return openOrg((opened, org) => writeInParts(opened, (store) => restore(store, org)))
  },
})

const SAID = ['contacts', 'companies', 'deals', 'notes', 'tasks', 'events']

/** Returns `4 contacts, 2 companies and 3 deals` for the records of an export. */
export function saidOf(records: Record<string, number>): string {
  const counts = SAID.map((name) => `${records[name]} ${name}`)
  return `${counts.slice(0, -1).join(', ')} and ${counts.at(-1)}`
}

const textOf = ({ records }: Restored, dryRun: boolean): string =>
  `${dryRun ? 'Would restore' : 'Restored'} ${saidOf(records)}.`

function noteOf({ members_left, tokens_ended }: Restored): string {
  const left =
    members_left.length > 0 ? [`Removed, because they are not in the export: ${members_left.join(', ')}.`] : []
  const ended =
    tokens_ended > 0 ? ['Earlier tokens are no longer valid. Create new ones with "dealbox token create".'] : []
  return [...left, ...ended].join('\n')
}
