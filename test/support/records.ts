import assert from 'node:assert/strict'
import type { CallOptions, TestServer } from './server.ts'

// Creates records through the API and reads parts of responses. A rejected request fails the test.

// biome-ignore lint/suspicious/noExplicitAny: tests look into records of every shape
export type Row = any
export type Given = Record<string, unknown>

/** A well-formed id of no record. */
export const UNKNOWN = '01890000-0000-7000-8000-000000000000'

/** Returns the pointers and codes of a 422, such as `/emails/0/email invalid_email`. */
export const errorsOf = (body: Row): string[] =>
  (body.errors ?? []).map(({ pointer, code }: Record<string, string>) => `${pointer} ${code}`)

export const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id)

/** `server` is a function because most test files start their server after calling this. */
export function recordsOf(server: () => Pick<TestServer, 'call'>) {
  async function newRecord(path: string, given: Given, options: CallOptions = {}): Promise<Row> {
    const { body, status, text } = await server().call('POST', path, given, options)
    assert.equal(status, 201, text)
    return body
  }

  async function getRecord(path: string, options: CallOptions = {}): Promise<Row> {
    const { body, status, text } = await server().call('GET', path, undefined, options)
    assert.equal(status, 200, text)
    return body
  }

  async function patchRecord(path: string, given: Given): Promise<Row> {
    const { body, status, text } = await server().call('PATCH', path, given)
    assert.equal(status, 200, text)
    return body
  }

  return {
    newRecord,
    getRecord,
    patchRecord,
    newId: async (path: string, given: Given, options?: CallOptions): Promise<string> =>
      (await newRecord(path, given, options)).id,
    newContact: (given: Given = {}): Promise<Row> => newRecord('/contacts', { last_name: 'Ruiz', ...given }),
    newCompany: (given: Given = {}): Promise<Row> => newRecord('/companies', { name: 'Northwind', ...given }),
    newDeal: (given: Given = {}): Promise<Row> => newRecord('/deals', { title: 'Rollout', ...given }),
    /** Returns the ids of a page, in order. */
    listIds: async (path: string, options?: CallOptions): Promise<string[]> =>
      idsOf((await getRecord(path, options)).data),
  }
}

export const idOf = async (record: Promise<Row>): Promise<string> => (await record).id
