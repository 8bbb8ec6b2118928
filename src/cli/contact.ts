import type { Forgotten } from '../cleanup/erasure/forget.ts'
import { type Answer, command, json, org } from '../command/command.ts'
import type { Deps } from '../deps.ts'
import { usage } from '../lib/problem.ts'
import { rfc3339 } from '../lib/time.ts'
import { backupDir } from '../ops/backup/commands/backup-options.ts'
import { folderOfCommand } from '../ops/backup/folders.ts'
import { listBackups } from '../ops/backup/list.ts'
import type { CommandStore } from '../store/open.ts'

const contact = { contact: 'id or email of the contact' }

export const contactForget = command({
  name: 'contact forget',
  summary:
    'Erase a person for good: the contact, what was written with and about them, and their traces in the history',
  args: contact,
  options: {
    dryRun: { type: 'boolean', help: 'only show what would be erased' },
    yes: { type: 'boolean', help: 'confirm: it cannot be undone' },
    backupDir,
    org,
    json,
  },
  audit: 'contact_forget',
  run: ({ options, args, writeInParts, openOrg }) => {
    const { dryRun, yes } = options
    if (!dryRun && !yes) throw usage('This cannot be undone. Look with --dry-run at what it erases, then add --yes.')
    const erase = async (store: CommandStore, org: number, deps: Deps) => {
      const { forget } = await import('../cleanup/erasure/forget.ts')
      const forgotten = forget(store, deps, org, args.contact, { dryRun })
      const waits = dryRun ? undefined : await compactFile(store, options.data)
      const audit = { record: forgotten.contact_ids[0] ?? null, detail: { erased: forgotten.erased } }
      const backups = backupsNote(folderOfCommand(options.data, options.backupDir), store.installation)
      return { ...answer(forgotten, dryRun, waits, backups), audit }
    }
    return openOrg((opened, org, deps) => writeInParts(opened, (store) => erase(store, org, deps)))
  },
})

export const contactExport = command({
  name: 'contact export',
  summary: 'Write everything about a person to a JSON file, with the files of their mails',
  args: contact,
  options: {
    to: { type: 'string', placeholder: 'FILE', required: true, help: 'the file to write; must not exist' },
    org,
    json,
  },
  audit: 'contact_export',
  run: ({ options, args, writeInParts, openOrg }) => {
    const write = async (store: CommandStore, org: number) => {
      const { writePerson } = await import('../exports/person.ts')
      const { contact_ids, counts } = writePerson(store, org, args.contact, options.to)
      return {
        json: { file: options.to, records: counts },
        text: `Wrote ${options.to}: ${said(counts)}.`,
        note: 'Notes and mails may also tell about other people. Read the file before you hand it over.',
        audit: { record: contact_ids[0] ?? null, detail: { records: counts } },
      }
    }
    return openOrg((opened, org) => writeInParts(opened, (store) => write(store, org)))
  },
})

/** Beside a server, a larger file would stop its writes for too long. */
const MOST_BESIDE_SERVER = 256 * 1_048_576

/** Frees the file of what was erased. Returns why that has to wait, if it has. */
async function compactFile(store: CommandStore, dataDir: string): Promise<string | undefined> {
  const { compact, databaseBytes } = await import('../store/remnants.ts')
  const { isServed } = await import('../store/folder/lock.ts')
  if (databaseBytes(dataDir) > MOST_BESIDE_SERVER && isServed(dataDir))
    return 'a server runs on this large data folder: stop it'
  return compact(store.db) ? undefined : 'the disk has no space for a second copy of the database: make some'
}

/** A sentence on the backups that still have the erased person, and until when. */
function backupsNote(folder: string, installation: string): string {
  const own = listBackups(folder, installation, Date.now())
  const days = own.map(({ made }) => rfc3339(made).slice(0, 10)).sort()
  const there =
    own.length === 0
      ? `There are no backups in ${folder}; any elsewhere still contain this person.`
      : `The backups in ${folder} (${own.length}, from ${days[0]} to ${days.at(-1)}) still contain this person, and so do copies elsewhere.`
  return `${there} The last of them is deleted after about six months, if 7 daily, 4 weekly and 6 monthly ones are kept, as is usual. Whoever restores one has to run this command again.`
}

const ANY_FORM =
  'in any case, with or without accents, over the end of a line, in HTML and encoded mails, and phones in every notation'

/** What was looked for, so that people can judge what may be left. */
function searched({ everywhere, near, not }: Forgotten['looked_for']): string[] {
  const list = (texts: readonly string[]): string => texts.map((text) => `"${text}"`).join(', ')
  if (everywhere.length + near.length + not.length === 0)
    return ['Looked only for records of the contact: no name, email or phone of the person is known any more.']
  return [
    ...(everywhere.length > 0 ? [`Looked in all texts for ${list(everywhere)}.`] : []),
    ...(near.length > 0 ? [`Looked in what is linked with the person for ${list(near)}.`] : []),
    ...(everywhere.length + near.length > 0 ? [`They are found ${ANY_FORM}.`] : []),
    ...(not.length > 0 ? [`Not looked for, since others have it too or it is in too many texts: ${list(not)}.`] : []),
  ]
}

const NOT_FOUND =
  'Not found by that: a first or last name alone, nicknames, wrong spellings, other scripts, numbers in number fields, and what is inside of files and pictures. Search for them yourself.'
const OUTSIDE =
  'Not reached: mails at the provider of your mailboxes, receivers of webhooks, exports, and files that were imported.'

function answer(forgotten: Forgotten, dryRun: boolean, waits: string | undefined, backups: string): Answer {
  const { erased, changed, shared, looked_for } = forgotten
  const nothing = Object.keys(erased).length + Object.keys(changed).length === 0
  const kept = Object.entries(shared).flatMap(([kind, ids]) => ids.map((id) => `  ${kind} ${id}`))
  const lines = [
    nothing ? 'Nothing was left to erase.' : `${dryRun ? 'Would erase' : 'Erased'}: ${said(erased)}.`,
    ...(Object.keys(changed).length > 0
      ? [`${dryRun ? 'Would take' : 'Took'} the person out of texts of others: ${said(changed)}.`]
      : []),
    ...(kept.length > 0
      ? [
          'These are about others, too, and stay without the person. Their texts may still tell something; read them:',
          ...kept,
        ]
      : []),
    ...(waits === undefined
      ? []
      : [`Free space of the file may still contain parts of it; ${waits}, and run the same command again.`]),
    ...searched(looked_for),
    NOT_FOUND,
    backups,
    OUTSIDE,
  ]
  return {
    json: {
      ...forgotten,
      is_dry_run: dryRun,
      ...(waits === undefined ? {} : { remnants: waits }),
      not_found: NOT_FOUND,
      backups,
    },
    text: lines.join('\n'),
  }
}

const said = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .map(([kind, count]) => `${count} ${kind.replaceAll('_', ' ')}`)
    .join(', ') || 'nothing'
