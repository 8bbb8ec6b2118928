import type { Deps } from '../../deps.ts'
import type { Need, Route } from '../../http/route.ts'
import { drafts } from '../../personal/drafts.ts'
import { notifications } from '../../personal/notifications.ts'
import { preferences } from '../../personal/preferences.ts'
import { savedReplies } from '../../personal/saved-replies.ts'
import { views } from '../../personal/views.ts'
import type { Store } from '../../store/open.ts'
import { binRoutes } from './bin.ts'
import { bulkRoutes } from './bulk/routes.ts'
import { draftFileRoutes } from './draft-files.ts'
import { duplicateRoutes } from './duplicates.ts'
import { inboxRoutes } from './inbox.ts'
import { filledReplies } from './inbox-replies.ts'
import { meetingRoutes } from './meetings.ts'
import { messageRoutes } from './messages.ts'
import { nameRoutes } from './names.ts'
import { newMailRoutes } from './new-mails.ts'
import { peopleRoutes } from './people.ts'
import { rowRoutes } from './rows.ts'
import { ruleRoutes } from './rules.ts'
import { sampleRoutes } from './sample.ts'
import { satisfactionRoutes } from './satisfaction.ts'
import { sequenceRoutes } from './sequences.ts'
import { spamRoutes } from './spam.ts'
import { timelineRoutes } from './timeline/timeline.ts'
import { triageRoutes } from './triage.ts'
import { undoRoutes } from './undo/undo.ts'
import { whereaboutsRoutes } from './whereabouts.ts'

/** The routes below /app for the data of the screens. */
export const dataRoutes = (parts: { deps: Deps; store: Pick<Store, 'savepoint'> }): Route<Need>[] => [
  ...newMailRoutes(parts),
  ...[
    views,
    drafts,
    draftFileRoutes,
    savedReplies,
    preferences,
    notifications,
    timelineRoutes,
    undoRoutes,
    binRoutes,
    bulkRoutes,
    sampleRoutes,
    rowRoutes,
    inboxRoutes,
    messageRoutes,
    meetingRoutes,
    filledReplies,
    ruleRoutes,
    satisfactionRoutes,
    sequenceRoutes,
    triageRoutes,
    spamRoutes,
    nameRoutes,
    peopleRoutes,
    duplicateRoutes,
    whereaboutsRoutes,
  ].flatMap((resource) => resource(parts.deps)),
]
