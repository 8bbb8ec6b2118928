import { ageNotice, readAgeNotice } from '../../command/age-notice.ts'
import { command, json } from '../../command/command.ts'
import { minFreeOption, readMinFree } from '../../command/min-free.ts'
import { oneLine } from '../../command/text.ts'
import { backupDir } from '../backup/commands/backup-options.ts'
import { folderOfCommand } from '../backup/folders.ts'
import type { Report } from './doctor.ts'

export const doctor = command({
  name: 'doctor',
  summary:
    'Examine the data folder and say what to do: exit code 0 if nothing fails, otherwise 1; changes nothing without --fix',
  options: {
    full: { type: 'boolean', help: 'also compare all indexes with their tables, which takes longer' },
    fix: { type: 'boolean', help: 'repair what can be repaired without losing anything' },
    backupDir,
    minFree: minFreeOption,
    ...ageNotice,
    json,
  },
  audit: 'doctor.fixed',
  run: async ({ options, write, open }) => {
    const { examine } = await import('./doctor.ts') // no other command needs it
    const { actAsOwnerOf } = await import('./owner.ts')
    const { data, full, fix } = options
    const minFree = readMinFree(options.minFree)
    const versionAge = readAgeNotice(options.ageNotice)
    const backups = folderOfCommand(data, options.backupDir)
    const report = examine({ dataDir: data, backupDir: backups, isFull: full, minFree, versionAge, now: Date.now }, fix)
    const { fixed, writable } = report
    if (fixed.length > 0 && writable === 'all') {
      const actAsBefore = actAsOwnerOf(data)
      const audited = { json: null, text: '', audit: { detail: { fixed } } }
      await open((store) => write(store, () => audited)).finally(actAsBefore)
    }
    return { json: shown(report), text: textOf(report, data), code: report.status === 'fail' ? 1 : 0 }
  },
})

const shown = ({ checks, writable: _, ...report }: Report) => ({
  ...report,
  checks: Object.fromEntries(
    Object.entries(checks).map(([name, { status, detail, advice }]) => [
      name,
      { status, detail, ...(advice === undefined ? {} : { advice }) },
    ]),
  ),
})

const LONGEST = 1000
const NAME_WIDTH = 13

/** Each check with its result, and below it what to do; the ends are what --fix did, and the counts. */
function textOf({ checks, skipped, fixed }: Report, data: string): string {
  const lines = Object.entries(checks).flatMap(([name, { status, detail, advice }]) => [
    `${status}  ${name.padEnd(NAME_WIDTH)} ${oneLine(detail, LONGEST)}`,
    ...(advice === undefined ? [] : [`      ${''.padEnd(NAME_WIDTH)} → ${oneLine(advice, LONGEST)}`]),
  ])
  const count = (wanted: string) => Object.values(checks).filter(({ status }) => status === wanted).length
  const left = skipped.length === 0 ? [] : ['', `Not checked, since the tables cannot be read: ${skipped.join(', ')}.`]
  const done = fixed.length === 0 ? [] : ['', 'Fixed:', ...fixed.map((each) => `  ${oneLine(each, LONGEST)}`)]
  const sum = `${count('pass')} passed, ${count('warn')} to look into, ${count('fail')} failed.`
  return [`Examined ${data}.`, '', ...lines, ...left, ...done, '', sum].join('\n')
}
