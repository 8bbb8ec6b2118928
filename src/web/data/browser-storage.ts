import { nameHere } from '../lib/kept.ts'
import { memoryStorage, type Write, type WriteStorage } from './write-storage.ts'

export const STORE = 'writes'

/** In IndexedDB, which outlives the page; in memory where the browser has none, for example in private windows. */
export async function browserStorage(): Promise<WriteStorage> {
  const open = () => openDatabase(nameHere(STORE))
  try {
    return indexedDbStorage(await open(), open)
  } catch {
    const memory = memoryStorage()
    return { ...memory, put: async (write) => (await memory.put(write)) && false }
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

function indexedDbStorage(first: IDBDatabase, open: () => Promise<IDBDatabase>): WriteStorage {
  let database: Promise<IDBDatabase> | undefined = Promise.resolve(watched(first))
  /** The data of the site was deleted while this page was open: what is missing was not taken by another tab. */
  let isLost = false

  function watched(opened: IDBDatabase): IDBDatabase {
    opened.onclose = lose
    opened.onversionchange = () => {
      opened.close()
      lose()
    }
    return opened
  }

  function lose(): void {
    isLost = true
    database = undefined
  }

  async function begin(mode: IDBTransactionMode): Promise<IDBObjectStore> {
    database ??= open().then(watched)
    try {
      return (await database).transaction(STORE, mode).objectStore(STORE)
    } catch (error) {
      lose()
      throw error
    }
  }

  const run = async <Value>(mode: IDBTransactionMode, job: (writes: IDBObjectStore) => Promise<Value>) =>
    job(await begin(mode).catch(() => begin(mode)))

  /** A full disk must not stop a change from being sent: then it is kept in this page only. */
  const isDone = (request: (writes: IDBObjectStore) => IDBRequest<IDBValidKey> | IDBRequest<undefined>) =>
    run('readwrite', (writes) => result(request(writes) as IDBRequest<unknown>)).then(
      () => true,
      () => false,
    )

  /** In one transaction, so that of two tabs one gets it. Without a storage, what this page holds is its own. */
  const claim = (held: Write, from: string, to: string) =>
    run('readwrite', async (writes) => {
      const found = (await result(writes.get(held.key))) as Write | undefined
      const write = !found && isLost && from === to ? structuredClone(held) : found
      if (write?.tab !== from) return false
      if (write !== found || from !== to) await result(writes.put({ ...write, tab: to }))
      return true
    }).catch(() => from === to)

  return {
    all: () => run('readonly', (writes) => result(writes.getAll()) as Promise<Write[]>).catch(() => []),
    put: (write) => isDone((writes) => writes.put(structuredClone(write))),
    remove: async (key) => void (await isDone((writes) => writes.delete(key))),
    claim,
  }
}
