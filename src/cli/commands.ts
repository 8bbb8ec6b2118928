import type { Command } from '../command/command.ts'
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
import { completionBash, completionFish, completionZsh } from './completion.ts'
import { configShow } from './config-show.ts'
import { contactExport, contactForget } from './contact.ts'
import { exportAll } from './export.ts'
import { importCompanies, importContacts, importDeals, importNotes, importTasks, importUndo } from './import.ts'
import { importDir } from './import-dir.ts'
import { importMeetings } from './import-meetings.ts'
import { init } from './init.ts'
import { install } from './install.ts'
import { jobsDrop, jobsList, jobsRetry } from './jobs.ts'
import { keysList, keysRetire, keysRotate } from './keys.ts'
import { mailboxErrors, mailboxList, mailboxPassword, mailboxTest } from './mailbox.ts'
import { mailboxConnect } from './mailbox-connect.ts'
import { manual } from './manual.ts'
import { memberActivate, memberAdd, memberDeactivate, memberList, memberSet } from './member.ts'
import { memberInvite, memberReset } from './member-links.ts'
import { openapi } from './openapi.ts'
import { orgHost, orgList } from './org.ts'
import { seed } from './seed.ts'
import { serve } from './serve.ts'
import { sessionsEnd, sessionsList } from './sessions.ts'
import { settingsApply, settingsShow } from './settings.ts'
import { tokenCreate, tokenList, tokenRevoke } from './token.ts'
import { version } from './version.ts'
import { webhooksDeliveries, webhooksList, webhooksRedeliver, webhooksReplay } from './webhooks.ts'

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
