import type * as v from 'valibot'
import { companies } from '../crm/companies.ts'
import { contacts } from '../crm/contacts.ts'
import { dealStore, deals } from '../crm/deals/deals.ts'
import { noteStore, notes } from '../crm/notes.ts'
import { tags } from '../crm/tags.ts'
import { taskStore, tasks } from '../crm/tasks.ts'
import type { Deps } from '../deps.ts'
import type { Route, WriteRoute } from '../http/route.ts'
import type { Caller } from '../lib/caller.ts'
import { validate } from '../lib/validate.ts'
import { meetings } from '../meetings/meetings.ts'
import { customFields } from '../records/custom-fields/custom-fields.ts'
import type { Stored } from '../store/rows/record-store.ts'
import { stageWrites } from './stages.ts'
import type { AllWrites, Flags, Given, Writes } from './writable.ts'

export function allWrites(deps: Deps): AllWrites {
  return {
    contact: writesOf(contacts(deps), '/contacts'),
    company: writesOf(companies(deps), '/companies'),
    // The API cannot delete deals.
    deal: {
      ...writesOf(deals(deps), '/deals', dealStore(deps).discard as unknown as Writes['remove']),
      reopen: dealStore(deps).reopen as unknown as NonNullable<Writes['reopen']>,
    },
    tag: writesOf(tags(deps), '/tags'),
    note: noteWrites(deps),
    task: taskWrites(deps),
    ...stageWrites(deps),
    custom_field: writesOf(customFields(deps), '/custom-fields'),
    meeting: writesOf(meetings(deps), '/meetings'),
  }
}

function noteWrites(deps: Deps): Writes {
  const writes = writesOf(notes(deps), '/notes')
  const { createBy } = noteStore(deps)
  return {
    ...writes,
    createAs: (who, given, { author_id = null }) => createBy(who, writes.check(given, true) as never, author_id),
  }
}

function taskWrites(deps: Deps): Writes {
  const writes = writesOf(tasks(deps), '/tasks')
  const { createFor, takeBack } = taskStore(deps)
  return {
    ...writes,
    createAs: (who, given, { completed_at }) => createFor(who, writes.check(given, true) as never, null, completed_at),
    patchAs: (who, before, given, { completed_at }) =>
      takeBack(who, before as never, writes.check(given, false) as never, completed_at),
  }
}

function writesOf(routes: readonly Route[], path: string, discard?: Writes['remove']): Writes {
  const routeOf = (method: WriteRoute['method'], at: string) =>
    routes.find((route): route is WriteRoute => route.kind === 'write' && route.method === method && route.path === at)
  const [post, patch] = [routeOf('post', path), routeOf('patch', `${path}/:id`)]
  const [remove, close] = [routeOf('delete', `${path}/:id`), routeOf('post', `${path}/:id/close`)]
  if (!post || !patch?.find) throw new Error(`${path} cannot be written`)

  function run(
    { body, run }: WriteRoute,
    who: Caller,
    record: Stored | undefined,
    given: Given,
    flags: Flags = {},
  ): Stored {
    const checked = body ? validate(body, given) : undefined
    return run({ who, record: record as Stored, body: checked as never, flags }) as Stored
  }

  return {
    check: (given, isNew) => validate((isNew ? post : patch).body as v.GenericSchema, given) as Given,
    create: (who, given, flags) => run(post, who, undefined, given, flags),
    find: patch.find,
    patch: (who, before, given, flags) => run(patch, who, before, given, flags),
    remove: discard ?? ((who, record) => void run(remove as WriteRoute, who, record, {})),
    close: close && ((who, before, given) => run(close, who, before, given)),
  }
}
