import assert from 'node:assert/strict'
import type { Given, Row } from './records.ts'
import type { TestServer } from './server.ts'

/** Creates conversations and messages through the API; a rejected request fails the test. */
export function inboxOf(server: TestServer) {
  let count = 0

  async function sent(method: string, path: string, given: Given, expected: number): Promise<Row> {
    const { status, body, text } = await server.call(method, path, given)
    assert.equal(status, expected, text)
    return body
  }

  async function get(path: string): Promise<Row> {
    const { status, body, text } = await server.call('GET', path)
    assert.equal(status, 200, text)
    return body
  }

  const make = (path: string, given: Given): Promise<Row> => sent('POST', path, given, 201)
  const conversation = (id: string): Promise<Row> => get(`/conversations/${id}`)

  /** Adds a message to a conversation, or one by an unknown sender to a new conversation. */
  const say = (direction: string, into?: string, given: Given = {}): Promise<Row> =>
    make('/messages', {
      direction,
      body_text: 'Hello',
      ...(into === undefined ? stranger() : { conversation_id: into }),
      ...given,
    })

  const stranger = (): Given => ({ from: { email: `stranger${++count}@firm.example` }, channel: 'chat' })

  return {
    get,
    make,
    say,
    conversation,
    /** Opens a conversation with an inbound message. */
    opened: async (given: Given = {}): Promise<Row> =>
      conversation((await say('inbound', undefined, given)).conversation_id),
    /** Opens a conversation with a contact. */
    openedWith: async (contact_id: string, given: Given = {}): Promise<Row> =>
      conversation(
        (await make('/messages', { direction: 'inbound', body_text: 'Hello', contact_id, channel: 'chat', ...given }))
          .conversation_id,
      ),
    patch: (id: string, given: Given): Promise<Row> => sent('PATCH', `/conversations/${id}`, given, 200),
    /** Returns the time in some milliseconds, in wire form. */
    inMs: (ms: number): string => new Date(server.now() + ms).toISOString(),
    /** Returns the events of the record since then: types and changed fields. */
    told: (seq: number, id?: string): string[] =>
      server
        .events(seq)
        .filter(({ object_id }) => id === undefined || object_id === id)
        .map(({ type, changed_fields }) => [type, ...changed_fields].join(' ')),
  }
}
