import * as v from 'valibot'
import * as f from '../../lib/fields.ts'
import { answerJson, type Handler, readBody } from '../handler.ts'
import type { LiveParts } from './live.ts'
import { type Present, presentFor, VIEWED } from './presence.ts'

const kind = f.oneOf(Object.keys(VIEWED) as (keyof typeof VIEWED)[])

const Given = f.object({
  tab: f.line(64),
  viewing: v.nullable(f.object({ kind, id: f.id })),
  editing: v.exactOptional(v.nullable(f.object({ kind, id: f.id, field: f.line(120) })), null),
  typing: v.exactOptional(f.flag, false),
})

/** POST /app/presence: what a tab shows, at least every 45 s. Not a route of the kernel: it writes nothing to the database. */
export function presenceHandler({ presence, bodies }: LiveParts): Handler {
  return {
    method: 'POST',
    path: '/app/presence',
    role: 'viewer',
    isInMemory: true,
    answer: async (ctx, { who, token: session }) => {
      const { tab, viewing, editing, typing } = await readBody(ctx, bodies, Given)
      const present: Present = { member_id: who.member as string, tab, viewing, editing, typing }
      presence.put(who.org, session, present)
      const others = presence.of(who.org).filter((each) => each.member_id !== who.member || each.tab !== tab)
      answerJson(ctx, 200, { present: presentFor(others, who) })
    },
  }
}
