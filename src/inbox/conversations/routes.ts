import type { Deps } from '../../deps.ts'
import type { Route } from '../../http/route.ts'
import { standardRoutes } from '../../http/standard.ts'
import { Conversation, sorts } from './conversation.ts'
import { conversationStore } from './conversations.ts'

export const conversations = (deps: Deps): Route[] =>
  standardRoutes({
    path: '/conversations',
    scope: 'rest.inbox.conversations',
    name: 'conversation',
    Shape: Conversation,
    sorts,
    ...conversationStore(deps),
  })
