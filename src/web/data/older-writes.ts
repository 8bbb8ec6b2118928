import { base } from '../lib/base.ts'
import { nameHere, OF_HERE } from '../lib/kept.ts'
import { openDatabase, result, STORE } from './browser-storage.ts'
import type { Write } from './write-storage.ts'

/** Earlier versions had one database for all servers that were reached at an address. */
const EARLIER = 'dealbox'

/**
 * Gives the name of today to writes of this member that wait under another: that of an earlier version, or of another
 * installation at this address, as their organisation has moved. Those of other members stay for them. The databases stay,
 * too: a tab of the earlier version may still be open, and its own are written there.
 */
export async function takeOverWrites(member: string): Promise<void> {
  const own = nameHere(STORE)
  // Firefox before 126 does not list them.
  const names = indexedDB.databases ? (await indexedDB.databases()).map(({ name = '' }) => name) : [EARLIER]
  for (const name of names)
    if (name !== own && ((name === EARLIER && base === '') || isOurs(name))) await move(name, own, member)
}

const isOurs = (name: string): boolean => name.startsWith(OF_HERE) && name.endsWith(`/${STORE}`)

async function move(from: string, to: string, member: string): Promise<void> {
  const [old, own] = [await openExisting(from), await openDatabase(to)]
  if (old) {
    const writes = (await result(storeOf(old, 'readonly').getAll())) as Write[]
    for (const write of writes.filter((each) => each.member === member)) {
      // In this order: a browser that ends between the two has it twice, and its key lets it happen once.
      await result(storeOf(own, 'readwrite').put(write))
      await result(storeOf(old, 'readwrite').delete(write.key))
    }
  }
  old?.close()
  own.close()
}

async function openExisting(name: string): Promise<IDBDatabase | undefined> {
  const request = indexedDB.open(name)
  request.onupgradeneeded = () => request.transaction?.abort() // there is none
  return result(request).catch(() => undefined)
}

const storeOf = (database: IDBDatabase, mode: IDBTransactionMode): IDBObjectStore =>
  database.transaction(STORE, mode).objectStore(STORE)
