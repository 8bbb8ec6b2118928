import { page } from '../../../../src/web/data/boot.ts'
import { startData } from '../../../../src/web/data/browser.ts'
import { connection, isSignedOut } from '../../../../src/web/data/connection.ts'
import { load, patch, record } from '../../../../src/web/data/records.ts'
import type { Kind } from '../../../../src/web/data/types.ts'
import { writes } from '../../../../src/web/data/writes.ts'

// The data of the app on a page without screens, for browser.test.ts.

const data = {
  start: async () => startData(await (await fetch('/app/boot')).json()),
  load,
  patch: (kind: Kind, id: string, fields: Record<string, unknown>) => void patch(kind, id, fields),
  record: (kind: Kind, id: string) => record(kind, id).value,
  waiting: () => writes.value.filter(({ isWaiting }) => isWaiting).length,
  unsent: () => writes.value.length,
  state: () => connection.value.state,
  isSignedOut: () => isSignedOut.value,
  tags: () => (page.value?.signed_in ? page.value.tags.map(({ name }) => name) : []),
}

export type BrowserData = typeof data

Object.assign(window, { data })
