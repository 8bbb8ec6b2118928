import * as v from 'valibot'
import type { Deps } from '../../deps.ts'
import type { UploadedFile } from '../../http/body/form-parts.ts'
import type { Need, Route } from '../../http/route.ts'
import { MAX_BYTES } from '../../inbox/messages/attachments.ts'
import { DraftFile, draftFileStore } from '../../inbox/messages/draft-files.ts'
import { largeFiles } from '../../inbox/messages/large-files.ts'
import { messageStore } from '../../inbox/messages/messages.ts'
import type { Caller } from '../../lib/caller.ts'
import * as f from '../../lib/fields.ts'
import { field, invalid } from '../../lib/problem.ts'
import { MIB } from '../../lib/size.ts'
import { checkDraftKey } from '../../personal/drafts.ts'
import { noticeQueue } from '../../personal/notices.ts'

/** What of a form is no file: its boundaries, and the heads of its parts. */
const AROUND_BYTES = MIB

const Copied = f.object({ message_id: f.id })

/** The files of the drafts of a member: nobody else reads, sends or removes them. */
export function draftFileRoutes(deps: Deps): Route<Need>[] {
  const { list, add, copy, remove, discard, restore, file, find } = draftFileStore(deps)
  const { find: findMessage } = messageStore(deps)
  const { ready } = largeFiles(deps.db)
  const notices = noticeQueue(deps)
  const common = { role: 'member', name: 'file of a draft' } as const
  const path = '/drafts/:key/files'

  function place(key: string | undefined) {
    checkDraftKey(key as string)
    return { id: key as string, version: 1 }
  }

  /** The other screens of the member show the same files. */
  const tell = ({ org, member }: Caller, key: string): void => notices.put(org, member, { kind: 'draft_files', key })

  return [
    {
      ...common,
      kind: 'data',
      method: 'get',
      path,
      summary: 'List the files of my draft',
      read: (who, [key]) => ({ json: JSON.stringify({ data: list(who, place(key).id) }) }),
    },
    {
      ...common,
      kind: 'write',
      method: 'post',
      path,
      summary: 'Add a file to my draft',
      description: 'A form with one file. A message takes up to 100 files of 36 MiB together.',
      body: f.object({}),
      form: { part: 'about', files: 'file', maxFiles: 1, read: () => ({}), ready },
      maxBytes: MAX_BYTES + AROUND_BYTES,
      returns: DraftFile,
      status: 200,
      find: (_, key) => place(key),
      run: ({ who, record, files }) => {
        const [given] = (files ?? []) as UploadedFile[]
        if (!given) throw invalid(field('/file', 'required', 'is required: a form with a file'))
        const added = add(who, record.id, given)
        tell(who, record.id)
        return added
      },
    },
    {
      ...common,
      kind: 'write',
      method: 'delete',
      path,
      summary: 'Discard the files of my draft',
      description: 'For an hour they can be brought back.',
      status: 204,
      find: (_, key) => place(key),
      run: ({ who, record }) => {
        discard(who, record.id)
        tell(who, record.id)
        return undefined
      },
    },
    {
      ...common,
      kind: 'write',
      method: 'post',
      path: `${path}/restore`,
      summary: 'Bring the discarded files of my draft back',
      status: 204,
      find: (_, key) => place(key),
      run: ({ who, record }) => {
        restore(who, record.id)
        tell(who, record.id)
        return undefined
      },
    },
    {
      ...common,
      kind: 'write',
      method: 'post',
      path: `${path}/copy`,
      summary: 'Add the files of a message to my draft, each once',
      body: Copied,
      returns: f.object({ data: v.array(DraftFile) }),
      status: 200,
      find: (_, key) => place(key),
      run: ({ who, record, body }) => {
        const { message_id } = body as v.InferOutput<typeof Copied>
        findMessage(who, message_id)
        const data = copy(who, record.id, message_id)
        tell(who, record.id)
        return { data }
      },
    },
    {
      ...common,
      kind: 'file',
      method: 'get',
      path: `${path}/:id`,
      summary: 'Download a file of my draft',
      find: (who, key, id) => file(who, place(key).id, id as string),
    },
    {
      ...common,
      kind: 'write',
      method: 'delete',
      path: `${path}/:id`,
      summary: 'Remove a file of my draft',
      status: 204,
      find: (who, key, id) => {
        find(who, place(key).id, id as string)
        return { id: `${key} ${id}`, version: 1 }
      },
      run: ({ who, record }) => {
        const [key, id] = record.id.split(' ') as [string, string]
        remove(who, key, id)
        tell(who, key)
        return undefined
      },
    },
  ]
}
