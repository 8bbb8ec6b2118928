import type { Need, Route } from '../http/route.ts'
import { boardRoutes } from './app/board.ts'
import { boardQuestions } from './app/board-questions.ts'
import { bootRoute } from './app/boot.ts'
import { handOverRoutes } from './app/hand-over/routes.ts'
import { mailBodyHandlers } from './app/mail-body.ts'
import { mailOriginalHandlers } from './app/mail-original.ts'
import { memberRoutes } from './app/members.ts'
import { reportRoutes } from './app/reports.ts'
import { dataRoutes } from './app/routes.ts'
import { shownFileHandlers } from './app/shown-file.ts'
import { stepRoutes } from './app/steps/routes.ts'
import type { Handler } from './handler.ts'
import { presenceHandler } from './live/presence-handler.ts'
import { streamHandler } from './live/stream-handler.ts'
import type { ScreenParts } from './parts.ts'
import { accountHandlers } from './sessions/account.ts'
import { inviteRoutes } from './sessions/invites.ts'
import { linkHandlers } from './sessions/links.ts'
import { loginHandlers } from './sessions/login.ts'
import { type SignInParts, signInParts } from './sessions/parts.ts'
import { sessionRoutes } from './sessions/sessions.ts'
import { setupHandlers } from './sessions/setup.ts'
import { tokenHandlers, tokenRoutes } from './sessions/tokens.ts'

/** Everything below /app, by area. */
const ROUTES: ((parts: ScreenParts) => Route<Need>[])[] = [
  sessionRoutes,
  inviteRoutes,
  tokenRoutes,
  memberRoutes,
  handOverRoutes,
  dataRoutes,
  reportRoutes,
  stepRoutes,
  ({ monitored }) => [...monitored.routes],
  (parts) => [bootRoute(parts), ...boardRoutes(parts), ...boardQuestions(parts)],
]

/** What the kernel cannot answer: see handler.ts. */
const HANDLERS: ((parts: SignInParts) => Handler[])[] = [
  loginHandlers,
  setupHandlers,
  linkHandlers,
  accountHandlers,
  tokenHandlers,
  mailBodyHandlers,
  mailOriginalHandlers,
  shownFileHandlers,
  ({ monitored }) => [...monitored.handlers],
  (parts) => [streamHandler(parts), presenceHandler(parts)],
]

/** The prefix of all of them. */
export const APP = '/app'

export const screenRoutes = (parts: ScreenParts): Route<Need>[] => ROUTES.flatMap((area) => area(parts))

export function screenHandlers(parts: ScreenParts): Handler[] {
  const shared = signInParts(parts)
  return HANDLERS.flatMap((area) => area(shared))
}
