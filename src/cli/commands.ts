import { init } from '../app/settings/commands/init.ts'
import { orgHost, orgList } from '../app/settings/commands/org.ts'
import { settingsApply, settingsShow } from '../app/settings/commands/settings.ts'
import { keysList, keysRetire, keysRotate } from '../auth/commands/keys.ts'
import { tokenCreate, tokenList, tokenRevoke } from '../auth/commands/token.ts'
import type { Command } from '../command/command.ts'
import { memberActivate, memberAdd, memberDeactivate, memberList, memberSet } from '../crm/members/commands/member.ts'
import { memberInvite, memberReset } from '../crm/members/commands/member-links.ts'
import { sessionsEnd, sessionsList } from '../crm/members/commands/sessions.ts'
import { seed } from '../demo/seed.ts'
import { exportAll } from '../exports/commands/export.ts'
import { importDir } from '../exports/commands/import-dir.ts'
import {
  importCompanies,
  importContacts,
  importDeals,
  importNotes,
  importTasks,
  importUndo,
} from '../imports/commands/import.ts'
import { importMeetings } from '../imports/commands/import-meetings.ts'
import { mailboxErrors, mailboxList, mailboxPassword, mailboxTest } from '../inbox/mailboxes/commands/mailbox.ts'
import { mailboxConnect } from '../inbox/mailboxes/commands/mailbox-connect.ts'
import { audit } from '../ops/audit.ts'
import { backup, verify } from '../ops/backup/commands/backup.ts'
import { restore } from '../ops/backup/commands/restore.ts'
import { resume } from '../ops/backup/commands/resume-sending.ts'
import { doctor } from '../ops/doctor/command.ts'
import { replicate } from '../ops/install/replicate.ts'
import { healthcheck } from '../ops/monitoring/healthcheck.ts'
import { orgErase, orgTakeBack } from '../ops/moves/commands/org-left.ts'
import { orgMove, orgReceive } from '../ops/moves/commands/org-move.ts'
import { promote } from '../ops/replication/commands/promote.ts'
import { webhooksDeliveries, webhooksList, webhooksRedeliver, webhooksReplay } from '../webhooks/commands.ts'
import { completionBash, completionFish, completionZsh } from './completion.ts'
import { configShow } from './config-show.ts'
import { contactExport, contactForget } from './contact.ts'
import { install } from './install.ts'
import { jobsDrop, jobsList, jobsRetry } from './jobs.ts'
import { manual } from './manual.ts'
import { openapi } from './openapi.ts'
import { serve } from './serve/serve.ts'
import { version } from './version.ts'

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [
  serve,
  promote,
  install,
  replicate,
  init,
  orgList,
  orgHost,
  orgReceive,
  orgMove,
  orgErase,
  orgTakeBack,
  settingsShow,
  settingsApply,
  memberList,
  memberAdd,
  memberSet,
  memberActivate,
  memberDeactivate,
  memberInvite,
  memberReset,
  sessionsList,
  sessionsEnd,
  tokenCreate,
  tokenList,
  tokenRevoke,
  keysList,
  keysRotate,
  keysRetire,
  seed,
  importContacts,
  importCompanies,
  importDeals,
  importNotes,
  importTasks,
  importMeetings,
  importUndo,
  exportAll,
  importDir,
  backup,
  verify,
  restore,
  resume,
  contactExport,
  contactForget,
  webhooksList,
  webhooksDeliveries,
  webhooksRedeliver,
  webhooksReplay,
  mailboxList,
  mailboxErrors,
  mailboxTest,
  mailboxPassword,
  mailboxConnect,
  audit,
  configShow,
  jobsList,
  jobsRetry,
  jobsDrop,
  doctor,
  openapi,
  healthcheck,
  completionBash,
  completionZsh,
  completionFish,
  manual,
  version,
]
