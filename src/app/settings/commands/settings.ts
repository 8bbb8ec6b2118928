import { readFileSync } from 'node:fs'
import { command, json, org } from '../../../command/command.ts'
import { oneLine } from '../../../command/text.ts'
import { type Json, readJson } from '../../../lib/json.ts'
import { Problem } from '../../../lib/problem.ts'
import type { Change } from '../../../store/settings/changes.ts'
import { applySettings, showSettings } from '../document.ts'

export const settingsShow = command({
  name: 'settings show',
  summary: 'Print the settings document of an organisation',
  options: { org, json: { ...json, help: 'on one line' } },
  run: ({ openOrg }) =>
    openOrg((store, org) => {
      const document = showSettings(store, org)
      return { json: document, text: JSON.stringify(document, null, 2) }
    }),
})

export const settingsApply = command({
  name: 'settings apply',
  summary: 'Change the settings of an organisation to match a document',
  args: { file: 'the settings document, or - for standard input' },
  options: { org, dryRun: { type: 'boolean', help: 'only show what would change' }, json },
  audit: 'settings.applied',
  run: ({ options, args, write, openOrg }) => {
    const document = readDocument(args.file)
    return openOrg((store, org) =>
      write(store, () => {
        const applied = applySettings(store, org, document, { dryRun: options.dryRun })
        const note = applied.warnings.map((warning) => `Warning: ${oneLine(warning)}`).join('\n')
        const { changed } = applied
        return {
          json: applied,
          text: changesText(changed, options.dryRun),
          ...(note && { note }),
          audit: changed.length === 0 ? null : { detail: auditedChanges(changed) },
        }
      }),
    )
  },
})

const MAX_AUDITED = 30

/** What was changed in the settings: not from what to what, which may say more about people than the log should keep. */
const auditedChanges = (changed: readonly Change[]) => ({
  changes: changed.length,
  first: changed.slice(0, MAX_AUDITED).map(({ action, section, key }) => `${action} ${section} ${key}`),
})

function readDocument(file: string): Json {
  const name = file === '-' ? 'Standard input' : file
  try {
    return readJson(readFileSync(file === '-' ? 0 : file))
  } catch (error) {
    if (error instanceof Problem) {
      throw new Problem(error.status, error.code, error.message.replace(/^The body/, name))
    }
    throw new Problem(404, 'cannot_read', `${name} cannot be read: ${(error as Error).message}.`)
  }
}

function changesText(changed: readonly Change[], dryRun: boolean): string {
  if (changed.length === 0) return dryRun ? 'Nothing would change.' : 'Nothing changed.'
  const lines = changed.map(({ section, key, action, fields }) => {
    const details = Object.entries(fields).map(([name, { from, to }]) => {
      if (action === 'created') return `${name} ${JSON.stringify(to)}`
      return `${name} ${JSON.stringify(from)} → ${JSON.stringify(to)}`
    })
    return `  ${action} ${section} ${key}${action === 'removed' ? '' : `: ${details.join(', ')}`}`
  })
  return [dryRun ? 'Would change:' : 'Changed:', ...lines].join('\n')
}
