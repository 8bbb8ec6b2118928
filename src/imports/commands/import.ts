import { type Answer, type AuditedWrites, command, json, type Opens, org } from '../../command/command.ts'
import { progress } from '../../command/progress.ts'
import { aligned } from '../../command/text.ts'
import type { CommandStore } from '../../store/open.ts'
import type { Match } from '../csv/columns/mapping.ts'
import type { RowsImported } from '../csv/import.ts'
import type { Plan } from '../csv/plan.ts'
import type { Undone } from '../journal/undo.ts'
import type { ImportObject } from '../writable.ts'
import { activityOptions, dealOptions, type Given, importOptions, readOptions } from './import-options.ts'

// `import contacts|companies|deals|notes|tasks FILE` and `import --undo ID`. Importing meetings and restoring an export, `import
// DIR`, are separate commands.

const args = {
  file: 'a CSV file exported from a spreadsheet or another program, a vCard file, or NDJSON in the format of the API',
}

export const importContacts = command({
  name: 'import contacts',
  summary: 'Import contacts from a file',
  args,
  options: importOptions('email|phone|external_id'),
  audit: 'import',
  run: ({ options, args, ...how }) => importRows(how, 'contact', args.file, options, ['email', 'phone', 'external_id']),
})

export const importCompanies = command({
  name: 'import companies',
  summary: 'Import companies from a file',
  args,
  options: importOptions('domain|external_id'),
  audit: 'import',
  run: ({ options, args, ...how }) => importRows(how, 'company', args.file, options, ['domain', 'external_id']),
})

export const importDeals = command({
  name: 'import deals',
  summary: 'Import deals from a file',
  args,
  options: dealOptions,
  audit: 'import',
  run: ({ options, args, ...how }) => importRows(how, 'deal', args.file, options, ['external_id']),
})

const importActivities = (object: 'note' | 'task', name: string, summary: string) =>
  command({
    ...{ name, summary, args, options: activityOptions, audit: 'import' },
    run: ({ options, args, ...how }) => importRows(how, object, args.file, options, ['external_id']),
  })

export const importNotes = importActivities('note', 'import notes', 'Import notes from a file')
export const importTasks = importActivities(
  'task',
  'import tasks',
  'Import tasks, calls, meetings and emails from a file of activities',
)

export const importUndo = command({
  name: 'import --undo',
  summary: 'Undo an import: delete the records that it created, and restore those that it changed',
  args: { id: 'id of the import, as printed by the import' },
  options: { org, json },
  audit: 'import_undo',
  run: ({ options, args, writeInParts, openOrg }) => {
    const undo = async (store: CommandStore, org: number) => {
      const { undoImport } = await import('../journal/undo.ts')
      const bar = progress(options.json, 'records')
      const undone = await undoImport(store, { org, id: args.id, onProgress: bar.show })
      bar.end()
      const { deleted, restored, kept } = undone
      const audit = { record: args.id, detail: { deleted, restored, kept: kept.length } }
      return { json: undone, text: undoneText(undone), audit }
    }
    return openOrg((opened, org) => writeInParts(opened, (store) => undo(store, org)))
  },
})

const COMMANDS: Record<ImportObject, string> = {
  contact: 'import contacts',
  company: 'import companies',
  deal: 'import deals',
  note: 'import notes',
  task: 'import tasks',
}

function importRows(
  { openOrg, writeInParts }: Pick<AuditedWrites & Opens, 'openOrg' | 'writeInParts'>,
  object: ImportObject,
  file: string,
  given: Given,
  matches: readonly Match[],
): Promise<Answer> {
  const options = { object, file, ...readOptions(given, matches) }
  const write = async (store: CommandStore, org: number) => {
    const { importFile } = await import('../csv/import.ts')
    const { mappingTable } = await import('../csv/columns/mapping.ts')
    const { auditOf, rowsAnswer } = await import('./import-answer.ts')
    const bar = progress(given.json, 'rows')
    const stop = new AbortController()
    const onSignal = () => stop.abort()
    process.once('SIGINT', onSignal) // a second one ends the process at once; committed rows stay
    let plan: Plan | undefined
    const run = (more: Pick<typeof options, 'rules' | 'rejected'>): Promise<RowsImported> =>
      importFile(store, {
        ...options,
        ...more,
        org,
        signal: stop.signal,
        onPlan: (made) => {
          if (!given.json && !plan) process.stderr.write(`${aligned(mappingTable(made.mapping, made.examples))}\n`)
          plan ??= made
        },
        onProgress: bar.show,
      })
    try {
      const { rules, rejected } = options
      const imported = await run({ rules, rejected })
      const isTried = given.dryRun && !given.lenient && imported.rejected > 0
      const lenient = isTried ? await run({ rules: { ...rules, lenient: true }, rejected: undefined }) : undefined
      const answer = rowsAnswer(COMMANDS[object], file, given, { imported, plan: plan as Plan, lenient })
      return { ...answer, audit: auditOf(object, imported) }
    } finally {
      bar.end()
      process.removeListener('SIGINT', onSignal)
    }
  }
  return openOrg((opened, org) => writeInParts(opened, (store) => write(store, org)))
}

const MAX_KEPT = 20

function undoneText({ deleted, restored, kept }: Undone): string {
  const lines = kept.slice(0, MAX_KEPT).map(({ object, id, reason }) => `  ${object} ${id} ${reason}`)
  if (kept.length > MAX_KEPT) lines.push(`  and ${kept.length - MAX_KEPT} more; to list all, use --json`)
  const done = `Deleted ${deleted} records, and restored ${restored}.`
  const next = 'To undo these as well, resolve the conflicts and run the same command again.'
  return kept.length === 0 ? done : [`${done} Not changed:`, ...lines, next].join('\n')
}
