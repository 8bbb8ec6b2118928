import { usage } from '../config.ts'
import type { Order } from '../imports/csv/dates.ts'
import type { Imported } from '../imports/csv/import.ts'
import type { Match } from '../imports/csv/mapping.ts'
import type { Decimal } from '../imports/csv/numbers.ts'
import type { Plan } from '../imports/csv/plan.ts'
import type { Undone } from '../imports/journal/undo.ts'
import type { ImportObject } from '../imports/writes.ts'
import { rfc3339 } from '../lib/time.ts'
import { type Answer, command, json, org } from './command.ts'
import { chosenOrg, withStore } from './store.ts'
import { aligned } from './text.ts'

// `import contacts|companies|deals FILE` and `import --undo ID`. Importing meetings and restoring an export, `import
// DIR`, are separate commands.

const args = { file: 'a CSV file exported from a spreadsheet or another program, or NDJSON in the format of the API' }

const options = {
  map: { type: 'string', placeholder: 'C=F,...', help: 'mapping of columns to fields, such as "Fax=phones,Notes=-"' },
  decimal: {
    type: 'string',
    placeholder: 'SIGN',
    help: 'decimal separator, point or comma, if it is not clear from the amounts',
  },
  dates: {
    type: 'string',
    placeholder: 'ORDER',
    help: 'order of days and months, dmy or mdy, if it is not clear from the dates',
  },
  dryRun: { type: 'boolean', help: 'only show what would be imported' },
  again: { type: 'boolean', help: 'import a file again that was already imported with the same options' },
  rejected: {
    type: 'string',
    placeholder: 'PATH',
    help: 'file for rejected rows; by default beside the imported file',
  },
  org,
  json,
} as const

const match = (choices: string) =>
  ({
    type: 'string',
    placeholder: choices,
    help: 'update existing records with the same value instead of creating new ones',
  }) as const

export const importContacts = command({
  name: 'import contacts',
  summary: 'Import contacts from a file',
  args,
  options: { match: match('email|external_id'), ...options },
  run: ({ options, args }) => importRows('contact', args.file, options, ['email', 'external_id']),
})

export const importCompanies = command({
  name: 'import companies',
  summary: 'Import companies from a file',
  args,
  options: { match: match('domain|external_id'), ...options },
  run: ({ options, args }) => importRows('company', args.file, options, ['domain', 'external_id']),
})

export const importDeals = command({
  name: 'import deals',
  summary: 'Import deals from a file',
  args,
  options: { match: match('external_id'), ...options },
  run: ({ options, args }) => importRows('deal', args.file, options, ['external_id']),
})

export const importUndo = command({
  name: 'import --undo',
  summary: 'Undo an import: delete the records that it created, and restore those that it changed',
  args: { id: 'id of the import, as printed by the import' },
  options: { org, json },
  run: ({ options, args }) =>
    withStore(options.data, async (store) => {
      const { undoImport } = await import('../imports/journal/undo.ts')
      const bar = progress(options.json, 'records')
      const undone = await undoImport(store, { org: chosenOrg(store, options.org), id: args.id, onProgress: bar.show })
      bar.end()
      return { json: undone, text: undoneText(undone) }
    }),
})

type Given = {
  data: string
  org: string | undefined
  map: string | undefined
  match?: string | undefined
  decimal: string | undefined
  dates: string | undefined
  rejected: string | undefined
  dryRun: boolean
  again: boolean
  json: boolean
}

function importRows(object: ImportObject, file: string, given: Given, matches: readonly Match[]): Promise<Answer> {
  const match = chosen('--match', given.match, matches)
  const decimal = chosen('--decimal', given.decimal, ['point', 'comma'] as const)
  const order = chosen<Order>('--dates', given.dates, ['dmy', 'mdy'])
  const sign: Decimal | undefined = decimal && (decimal === 'point' ? '.' : ',')
  return withStore(given.data, async (store) => {
    const { importFile } = await import('../imports/csv/import.ts')
    const { mappingTable } = await import('../imports/csv/mapping.ts')
    const bar = progress(given.json, 'rows')
    const stop = new AbortController()
    const onSignal = () => stop.abort()
    process.once('SIGINT', onSignal) // a second one ends the process at once; committed rows stay
    let plan: Plan | undefined
    try {
      const imported = await importFile(store, {
        org: chosenOrg(store, given.org),
        object,
        file,
        map: given.map,
        match,
        decimal: sign,
        order,
        dryRun: given.dryRun,
        again: given.again,
        rejected: given.rejected,
        signal: stop.signal,
        onPlan: (made) => {
          plan = made
          if (!given.json) process.stderr.write(`${aligned(mappingTable(made.mapping, made.examples))}\n`)
        },
        onProgress: bar.show,
      })
      return answerOf(imported, plan as unknown as Plan, given.dryRun)
    } finally {
      bar.end()
      process.removeListener('SIGINT', onSignal)
    }
  })
}

function chosen<const Choice extends string>(
  flag: string,
  text: string | undefined,
  choices: readonly Choice[],
): Choice | undefined {
  if (text === undefined) return undefined
  const choice = choices.find((each) => each === text)
  if (!choice) throw usage(`${flag} must be one of ${choices.join(', ')}.`)
  return choice
}

function answerOf(imported: Imported, { mapping }: Plan, dryRun: boolean): Answer {
  const answer = importAnswer(imported, 'Rows', dryRun)
  const columns = mapping.map(({ column, field }) => ({ column, field }))
  return { ...answer, json: { ...answer.json, mapping: columns } }
}

/** Returns the answer of an import; `what` names the rows, such as meetings. */
export function importAnswer(imported: Imported, what: string, dryRun: boolean) {
  const { created, updated, unchanged, rejected, rejectedFile, importedBefore } = imported
  const id = dryRun ? null : imported.id
  const counts = { created, updated, unchanged, rejected }
  const told = Object.entries(counts).map(([result, count]) => `${count} ${result}`)
  const before =
    importedBefore === null
      ? ''
      : `Nothing was imported, because this file was already imported ${rfc3339(importedBefore)}. To import it again, use --again.\n`
  const notes = [
    ...(rejectedFile ? [`Rejected ${what.toLowerCase()}, with reasons: ${rejectedFile}`] : []),
    ...(rejected > 0 && !rejectedFile
      ? [`To write the rejected ${what.toLowerCase()} and the reasons to a file, use --rejected PATH.`]
      : []),
    ...(id ? [`To undo the import: dealbox import --undo ${id}`] : []),
  ]
  return {
    json: {
      id,
      ...counts,
      rejected_file: rejectedFile,
      imported_before: importedBefore === null ? null : rfc3339(importedBefore),
    },
    text: `${before}${dryRun ? 'Would be' : what}: ${told.join(', ')}.`,
    note: notes.join('\n'),
  }
}

const MAX_KEPT = 20

function undoneText({ deleted, restored, kept }: Undone): string {
  const lines = kept.slice(0, MAX_KEPT).map(({ object, id, reason }) => `  ${object} ${id} ${reason}`)
  if (kept.length > MAX_KEPT) lines.push(`  and ${kept.length - MAX_KEPT} more; to list all, use --json`)
  const done = `Deleted ${deleted} records, and restored ${restored}.`
  const next = 'To undo these as well, resolve the conflicts and run the same command again.'
  return kept.length === 0 ? done : [`${done} Not changed:`, ...lines, next].join('\n')
}

const WIDTH = 30

/** Shows a progress bar on a terminal, and nothing elsewhere. */
export function progress(quiet: boolean, what: string) {
  const { stderr } = process
  const isShown = !quiet && stderr.isTTY
  let wasShown = false
  return {
    show: (done: number, of = 0): void => {
      if (!isShown) return
      wasShown = true
      const filled = of === 0 ? 0 : Math.round((done / of) * WIDTH)
      const bar = of === 0 ? '' : `[${'#'.repeat(filled)}${'.'.repeat(WIDTH - filled)}] `
      stderr.write(`\r${bar}${done}${of === 0 ? '' : ` of ${of}`} ${what} `)
    },
    end: (): void => {
      if (wasShown) stderr.write('\n')
      wasShown = false
    },
  }
}
