import type * as v from 'valibot'
import { companies } from '../crm/companies/companies.ts'
import { contacts } from '../crm/contacts/contacts.ts'
import { customFields } from '../crm/custom-fields/custom-fields.ts'
import { dealStore, deals } from '../crm/deals/deals.ts'
import { notes } from '../crm/notes.ts'
import { tags } from '../crm/tags.ts'
import type { Deps } from '../deps.ts'
import type { Route, Stored, WriteRoute } from '../http/route.ts'
import type { Caller } from '../lib/caller.ts'
import type { Json } from '../lib/json.ts'
import { validate } from '../lib/validate.ts'
import { meetings } from '../meetings/meetings.ts'
import { stageWrites } from './stages.ts'

/** The record types that rows of a file can become. */
export type ImportObject = 'contact' | 'company' | 'deal'

export type Given = Record<string, Json>
export type Writable = ImportObject | 'tag' | 'note' | 'meeting' | 'pipeline' | 'stage' | 'custom_field'

/** The operations of the API: the same schemas, and the same functions of the stores. */
export type Writes = {
  /** Returns the body as it is stored. Throws 422 for one that a create or a patch would reject. */
  check: (given: Given, isNew: boolean) => Given
  create: (who: Caller, given: Given) => Stored
  /** Throws 404. */
  find: (who: Caller, id: string) => Stored
  patch: (who: Caller, before: Stored, given: Given) => Stored
  remove: (who: Caller, record: Stored) => void
  /** Only for deals. */
  close?: ((who: Caller, before: Stored, given: Given) => Stored) | undefined
  /** Only for deals, to undo that they were closed. */
  reopen?: (who: Caller, before: Stored, stage: string) => Stored
}

export type AllWrites = Record<Writable, Writes>

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
    note: writesOf(notes(deps), '/notes'),
    ...stageWrites(deps),
    custom_field: writesOf(customFields(deps), '/custom-fields'),
    meeting: writesOf(meetings(deps), '/meetings'),
  }
}

function writesOf(routes: readonly Route[], path: string, discard?: Writes['remove']): Writes {
  const routeOf = (method: WriteRoute['method'], at: string) =>
    routes.find((route): route is WriteRoute => route.kind === 'write' && route.method === method && route.path === at)
  const [post, patch] = [routeOf('post', path), routeOf('patch', `${path}/:id`)]
  const [remove, close] = [routeOf('delete', `${path}/:id`), routeOf('post', `${path}/:id/close`)]
  if (!post || !patch?.find) throw new Error(`${path} cannot be written`)

  function run({ body, run }: WriteRoute, who: Caller, record: Stored | undefined, given: Given): Stored {
    const checked = body ? validate(body, given) : undefined
    return run({ who, record: record as Stored, body: checked as never, flags: {} }) as Stored
  }

  return {
    check: (given, isNew) => validate((isNew ? post : patch).body as v.GenericSchema, given) as Given,
    create: (who, given) => run(post, who, undefined, given),
    find: patch.find,
    patch: (who, before, given) => run(patch, who, before, given),
    remove: discard ?? ((who, record) => void run(remove as WriteRoute, who, record, {})),
    close: close && ((who, before, given) => run(close, who, before, given)),
  }
}
