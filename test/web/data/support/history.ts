import assert from 'node:assert/strict'
import type { TakenBack } from '../../../../src/web/data/take-back.ts'
import type { Kind } from '../../../../src/web/data/types.ts'
import { same, valueAt } from '../../../../src/web/data/values.ts'
import type { Event } from '../../../support/server.ts'

// What people did in a schedule, as they saw it, and whether the server has it so.

export type Target = { kind: Kind; id: string }

/** What somebody made: `page` is where. It may be lost once they were told so. */
type Made = { by: string; page: object; isConfirmed: boolean; mayBeLost: boolean }
/** A change as its author made it: `seen` are the values that were on the screen then. */
export type Edit = Made & Target & { path: string; value: unknown; seen: unknown[]; step: string }
export type Note = Made & { body: string; step: string }
/** A word in a draft. */
export type Word = Made & { word: string }
/** A step that somebody had taken back, and what they were told. */
export type Back = { by: string; step: string; told?: TakenBack }

export class History {
  readonly edits: Edit[] = []
  readonly notes: Note[] = []
  readonly words: Word[] = []
  readonly backs: Back[] = []

  /** Somebody was told that what is not confirmed in these pages may be lost, and agreed. */
  giveUp(pages: readonly object[]): void {
    for (const made of [...this.edits, ...this.notes, ...this.words])
      if (pages.includes(made.page) && !made.isConfirmed) made.mayBeLost = true
  }

  check(events: readonly Event[], draftsOf: ReadonlyMap<string, string>): void {
    for (const event of events) if (!isBack(event)) this.checkEvent(event)
    for (const event of events) if (isBack(event)) checkBack(event, events)
    for (const edit of this.edits) if (edit.isConfirmed && edit.path !== 'stage') checkThere(edit, events)
    for (const back of this.backs) if (back.told) checkTold(back, back.told, events)
    this.checkNotes(events)
    this.checkWords(events, draftsOf)
  }

  /** Each change carries the one who made it, and goes over nothing that they had not seen. */
  checkEvent({ object_id, actor, object, changed_fields, previous }: Event): void {
    for (const edit of this.edits) {
      const [name = ''] = edit.path.split('.')
      if (edit.id !== object_id || edit.path === 'stage' || !changed_fields.includes(name)) continue
      const [now, before] = [valueAt(object, edit.path), valueAt(previous, edit.path)]
      if (same(now, before) || !same(now, normal(edit.value))) continue
      assert.equal(actor, edit.by, `${edit.path} ${now} carries the one who made it`)
      assert.ok(
        edit.seen.some((value) => same(normal(value), before)),
        `${edit.path} became ${now} over ${before}, and its author had seen ${edit.seen}`,
      )
    }
    if (changed_fields.includes('stage'))
      assert.ok(
        this.edits.some(({ id, by, value }) => id === object_id && by === actor && same(value, object.stage)),
        'a stage was set by the one whose name it carries',
      )
  }

  checkNotes(events: readonly Event[]): void {
    const created = events.filter(({ type, key }) => type === 'note.created' && !key?.startsWith('step.undo.'))
    const bodies = created.map(({ object }) => object.body)
    assert.equal(new Set(bodies).size, bodies.length, 'no note is made twice')
    for (const { actor, object } of created) {
      const note = this.notes.find(({ body }) => body === object.body)
      assert.equal(actor, note?.by, `the note ${object.body} carries the one who wrote it`)
    }
    const dropped = new Set(this.backs.map(({ step }) => step))
    for (const { body, step, isConfirmed, mayBeLost } of this.notes)
      if (isConfirmed || !(mayBeLost || dropped.has(step))) assert.ok(bodies.includes(body), `the note ${body}`)
  }

  /** What was begun is still begun, or was sent. */
  checkWords(events: readonly Event[], draftsOf: ReadonlyMap<string, string>): void {
    for (const { word, by, isConfirmed, mayBeLost } of this.words) {
      for (const [member, texts] of draftsOf)
        assert.ok(member === by || !texts.includes(word), `${word} is in the drafts of another member`)
      const isSent = events.some(({ type, object }) => type === 'note.created' && String(object.body).includes(word))
      if (isConfirmed || !mayBeLost) assert.ok(isSent || draftsOf.get(by)?.includes(word), `${word} was begun`)
    }
  }
}

const isBack = ({ key }: Event): boolean => key?.startsWith('step.undo.') === true

/** What is taken back is as it was before, and nobody had changed it since. */
function checkBack(event: Event, events: readonly Event[]): void {
  const target = events.find(({ seq }) => seq === Number(event.key?.slice('step.undo.'.length)))
  assert.ok(target, 'an event of the schedule')
  assert.equal(event.actor, target.actor, 'people take back their own')
  if (event.object_id !== target.object_id || !target.changed_fields.length) return
  for (const field of event.changed_fields) {
    const { previous }: Event = target
    if (field in previous) assert.deepEqual(event.object[field], previous[field], `${field} is as before`)
    if (field in previous)
      assert.deepEqual(event.previous[field], target.object[field], `${field} had been changed since`)
  }
}

function checkThere({ id, by, path, value }: Edit, events: readonly Event[]): void {
  const isThere = events.some(
    ({ object_id, actor, object }) => object_id === id && actor === by && same(valueAt(object, path), normal(value)),
  )
  assert.ok(isThere, `the confirmed ${path} ${value} was never stored`)
}

/** What is said to be taken back is: by the server, or as it never reached it. */
function checkTold({ step }: Back, { undone, left }: TakenBack, events: readonly Event[]): void {
  if (undone === 0 || left.length > 0) return
  const done = events.filter(({ key }) => key?.startsWith(`step.${step}.`))
  for (const { seq, object_id, type, key } of done) {
    if (isBack({ key } as Event)) continue
    const isTakenBack = events.some((each) => each.key === `step.undo.${seq}` && each.object_id === object_id)
    assert.ok(isTakenBack, `${type} ${key} is said to be taken back`)
  }
}

/** As the server stores it. */
const normal = (value: unknown): unknown => (typeof value === 'string' ? value.normalize() : value)
