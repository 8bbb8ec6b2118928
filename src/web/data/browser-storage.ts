import { nameHere } from '../lib/kept.ts'
import { memoryStorage, type Write, type WriteStorage } from './write-storage.ts'

export const STORE = 'writes'

/** In IndexedDB, which outlives the page; in memory where the browser has none, for example in private windows. */
export async function browserStorage(): Promise<WriteStorage> {
  try {
    return indexedDbStorage(await openDatabase(nameHere(STORE)))
  } catch {
    return memoryStorage()
  }
}

export function openDatabase(name: string): Promise<IDBDatabase> {
  const request = indexedDB.open(name, 1)
  request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: 'key' })
  return result(request)
}

export function result<Value>(request: IDBRequest<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}

function indexedDbStorage(database: IDBDatabase): WriteStorage {
  const store = (mode: IDBTransactionMode) => database.transaction(STORE, mode).objectStore(STORE)
  /** A full disk must not stop a change from being sent: then it is kept in this page only. */
  async function isDone(request: () => IDBRequest<IDBValidKey> | IDBRequest<undefined>): Promise<boolean> {
    try {
      await result<IDBValidKey | undefined>(request() as IDBRequest<IDBValidKey | undefined>)
      return true
    } catch {
      return false
    }
  }

  /** In one transaction, so that of two tabs one gets it. */
  async function claim(key: string, from: string, to: string): Promise<boolean> {
    const writes = store('readwrite')
    const write = (await result(writes.get(key))) as Write | undefined
    if (write?.tab !== from) return false
    if (from !== to) await result(writes.put({ ...write, tab: to }))
    return true
  }

  return {
    all: () => result(store('readonly').getAll()) as Promise<Write[]>,
    put: (write) => isDone(() => store('readwrite').put(structuredClone(write))),
    remove: async (key) => void (await isDone(() => store('readwrite').delete(key))),
    claim,
  }
}
