import * as v from 'valibot'
import type { Deps } from '../../deps.ts'
import { badQuery } from '../../http/query.ts'
import type { Need, Route } from '../../http/route.ts'
import { invitingStore } from '../../inbox/invitations/inviting.ts'
import * as f from '../../lib/fields.ts'
import { UUID } from '../../lib/id.ts'
import { validate } from '../../lib/validate.ts'
import { MeetingCreate, MeetingPatch } from '../../meetings/meeting.ts'
import { meetingHits } from '../../meetings/said.ts'
import { MAX_SEGMENTS } from '../../meetings/segments.ts'
import { transcriptStore } from '../../meetings/transcripts.ts'

// What the pages of meetings need and the API does not offer: a whole transcript at once, where a search has found something,
// and who would get which mail.

const MAX_IDS = 20
const MAX_TEXT = 255

const MailsAsked = f.object({
  id: f.doc(f.nullable(f.id), 'The meeting; null for a new one.'),
  given: f.doc(v.nullable(v.looseObject({})), 'What is created or changed; null to delete it.'),
})

export const meetingRoutes = (deps: Deps): Route<Need>[] => {
  const transcripts = transcriptStore(deps)
  const store = invitingStore(deps)
  const { hitsIn } = meetingHits(deps)
  const name = 'meeting'
  return [
    {
      kind: 'data',
      method: 'get',
      path: '/meetings/:id/transcript',
      role: 'viewer',
      name,
      summary: 'Get a transcript with all of its segments',
      read: (who, [id = ''], query) =>
        transcripts.show(who, transcripts.find(who, id), { ...query, limit: MAX_SEGMENTS, after: undefined }),
    },
    {
      kind: 'data',
      method: 'get',
      path: '/meetings/hits',
      role: 'viewer',
      name,
      summary: 'Get where in each meeting a search has found something',
      parameters: {
        q: { schema: { type: 'string' }, description: 'What is searched for; required.' },
        ids: { schema: { type: 'string' }, description: `Up to ${MAX_IDS} ids of meetings, separated by commas.` },
      },
      read: (who, _ids, { given }) => {
        const q = given.get('q') ?? ''
        if (q.length > MAX_TEXT) throw badQuery(`The parameter "q" must have at most ${MAX_TEXT} characters.`)
        const ids = (given.get('ids') ?? '').split(',').filter(Boolean)
        if (ids.length > MAX_IDS || !ids.every((id) => UUID.test(id)))
          throw badQuery(`The parameter "ids" must be up to ${MAX_IDS} ids, separated by commas.`)
        return { json: JSON.stringify({ data: hitsIn(who, ids, q) }) }
      },
    },
    {
      kind: 'write',
      method: 'post',
      path: '/meetings/mails',
      role: 'member',
      name,
      status: 200,
      summary: 'Get who would get which mail of a change; nothing is written',
      body: MailsAsked,
      returns: v.looseObject({}),
      run: ({ who, body }) => {
        const { id, given } = body as v.InferOutput<typeof MailsAsked>
        if (id === null) return store.mailsOf(who, undefined, validate(MeetingCreate, given ?? {}))
        const before = store.columns.present(store.find(who, id))
        return store.mailsOf(who, before, given === null ? undefined : validate(MeetingPatch, given))
      },
    },
  ]
}
