import { basename } from 'node:path'
import { resourceDeps } from '../../../app/deps.ts'
import { keyring } from '../../../auth/keys.ts'
import { tokens } from '../../../auth/tokens.ts'
import { command, json } from '../../../command/command.ts'
import { mailboxReports } from '../../../inbox/mailboxes/commands/mailbox-report.ts'
import type { CommandStore, Store } from '../../../store/open.ts'
import { allOrgs } from '../../../store/orgs/orgs.ts'
import { NEWEST } from '../../../webhooks/commands.ts'
import { columns, webhookStore } from '../../../webhooks/webhooks.ts'
import { type Restored, restoreBackup } from '../restore.ts'
import { resumeSending } from '../sending.ts'
import { decryptionOptions } from './backup-places.ts'
import { withPlainBackup } from './encrypted-backup.ts'

export const restore = command({
  name: 'restore',
  summary: 'Replace a data folder by a backup; what is there is moved aside, and the copy sends nothing at first',
  args: { backup: 'the file of a backup' },
  options: {
    dryRun: { type: 'boolean', help: 'only check the backup and show what it contains' },
    resumeSending: {
      type: 'boolean',
      help: 'send mails and webhooks again with the next start: only if the original will never run again',
    },
    ...decryptionOptions,
    json,
  },
  audit: 'backup.restored',
  run: async ({ options, args, write }) => {
    const { data, dryRun } = options
    const now = Date.now()

    /** The entry is in the log of the restored copy. */
    function opened(store: CommandStore, dataDir: string): Described {
      write(store, () => ({ json: null, text: '', audit: { detail: { file: basename(args.backup) } } }))
      return describe(store, dataDir)
    }

    const restored = await withPlainBackup(args.backup, options, (file) =>
      restoreBackup({ file, dataDir: data, now, dryRun, describe: opened }),
    )
    if (!dryRun && options.resumeSending) resumeSending(data)
    const { manifest, aside, described, epoch } = restored
    const { made_at, dealbox_version, schema_version } = manifest
    return {
      json: {
        file: args.backup,
        made_at,
        dealbox_version,
        schema_version,
        aside,
        epoch,
        sending: options.resumeSending ? 'resumed' : 'paused',
        ...described,
      },
      text: textOf(restored, data, dryRun),
      ...(dryRun ? {} : { note: next(restored, data, options.resumeSending) }),
    }
  },
})

type Described = ReturnType<typeof describe>

/** What acts or lets in by itself: the credentials and connections that the backup brings back. */
function describe(store: Store, dataDir: string) {
  const deps = resourceDeps(store)
  const ring = keyring(dataDir, store)
  const now = store.clock.now()
  const orgs = allOrgs(store.db)
  return {
    tokens: orgs.flatMap(({ id, name }) =>
      tokens(ring, store)
        .list(id)
        .filter((each) => each.revoked_at === null && (each.expires_at === null || Date.parse(each.expires_at) > now))
        .map((each) => ({ org: name, id: each.id, email: each.email, created_at: each.created_at })),
    ),
    mailboxes: orgs.flatMap(({ id, name }) =>
      mailboxReports(store, id, deps)
        .filter(({ is_active }) => is_active)
        .map(({ key, address }) => ({ org: name, key, address })),
    ),
    webhooks: orgs.flatMap(({ id, name }) =>
      webhookStore(deps)
        .list(id, NEWEST)
        .rows.map(columns.present)
        .filter(({ status }) => status === 'active')
        .map(({ id, url }) => ({ org: name, id, url })),
    ),
  }
}

function textOf({ manifest, aside, described, epoch }: Restored<Described>, data: string, dryRun: boolean): string {
  const { made_at, dealbox_version, schema_version } = manifest
  const did = dryRun ? `Would restore the backup into ${data}` : `Restored the backup into ${data}`
  return [
    `${did}: made at ${made_at} by Dealbox ${dealbox_version} (schema ${schema_version}).`,
    ...(aside === null ? [] : [`What was there before is in ${aside}.`]),
    ...(epoch === null || epoch === 1 ? [] : [`It goes on as the primary of epoch ${epoch}.`]),
    '',
    ...lines(
      'Tokens that hold, also if they were revoked since then',
      described.tokens,
      ({ id, email }) => `${id}  ${email}`,
    ),
    ...lines('Mailboxes', described.mailboxes, ({ key, address }) => `${key}  ${address}`),
    ...lines('Active webhooks', described.webhooks, ({ id, url }) => `${id}  ${url}`),
  ].join('\n')
}

function lines<Each extends { org: string }>(
  title: string,
  all: readonly Each[],
  text: (each: Each) => string,
): string[] {
  if (all.length === 0) return [`${title}: none.`]
  return [`${title}:`, ...all.map((each) => `  ${text(each)}  (${each.org})`)]
}

function next({ isEpochKnown }: Restored<unknown>, data: string, isResumed: boolean): string {
  return isEpochKnown ? steps(data, isResumed) : `${steps(data, isResumed)}\n${WHERE_REPLICATED}`
}

/** The old place names primaries that the backup knows nothing of, and the newest of them counts. */
const WHERE_REPLICATED =
  'If the installation is replicated: give --replica a new folder or prefix, for this server, its Litestream and all that follow it.'

function steps(data: string, isResumed: boolean): string {
  const start = `1. Start it with "dealbox serve --data ${data}" and look whether all is there.
2. Revoke what must not hold any more: "dealbox token list", "dealbox sessions list".`
  return isResumed
    ? `Next:\n${start}`
    : `The copy sends no mails, runs no sequences, calls no webhooks and fetches no mails. Next:\n${start}
3. When the original does not run any more: "dealbox resume-sending --data ${data}", and restart the server; with --dry-run it says first what is sent then.`
}
