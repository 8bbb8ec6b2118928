import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { arrivals, type Change, type Content, changed, contentOf, leftOf, type Random } from './content.ts'

// A folder on a disk whose power is cut. Files are as content.ts says. Names were made, moved or removed for good when the
// folder that they are in, or moved to, was synced; of others either the first ones have arrived, as on a disk with a
// journal, or any. That is more than file systems do: whatever holds here holds on each of them.

export type File = { kind: 'file'; synced: Content; waiting: Change[] }
export type Folder = { kind: 'folder' }
export type Node = File | Folder

/** A name that appears, disappears, or moves. */
type Naming = { node: Node; from?: Place; to?: Place }
export type Place = { folder: Folder; name: string }

type Names = Map<Folder, Map<string, Node>>

export const newFile = (bytes?: Buffer): File => ({ kind: 'file', synced: contentOf(bytes), waiting: [] })

export type Tree = ReturnType<typeof treeOf>

/** Takes what is in a folder as it is on the disk. */
export function treeOf(path: string) {
  const root: Folder = { kind: 'folder' }
  const names: Names = new Map()
  let waiting: Naming[] = []
  read(root, path)

  function read(folder: Folder, at: string): void {
    for (const each of readdirSync(at, { withFileTypes: true })) {
      const node: Node = each.isDirectory() ? { kind: 'folder' } : newFile(readFileSync(join(at, each.name)))
      put(names, { folder, name: each.name }, node)
      if (node.kind === 'folder') read(node, join(at, each.name))
    }
  }

  /** Visits everything that is there, by its path. */
  function each(visit: (path: string, node: Node) => void, folder = root, at = ''): void {
    visit(at, folder)
    for (const [name, node] of names.get(folder) ?? []) {
      const path = at === '' ? name : `${at}/${name}`
      if (node.kind === 'folder') each(visit, node, path)
      else visit(path, node)
    }
  }

  const name = (naming: Naming): void => void waiting.push(naming)

  function sync(node: Node): void {
    if (node.kind === 'file') {
      for (const change of node.waiting) node.synced = changed(node.synced, change)
      node.waiting = []
      return
    }
    const isSynced = ({ from, to }: Naming) => (to ?? from)?.folder === node
    for (const [index, naming] of waiting.entries()) {
      if (!isSynced(naming)) continue
      apply(names, naming, true)
      // What was done to its earlier names is done with it.
      waiting = waiting.map((each, at) => (at < index && each.node === naming.node ? { node: each.node } : each))
    }
    waiting = waiting.filter((each) => !isSynced(each) && (each.from ?? each.to))
  }

  /** Writes a state in which the power can leave the disk now. */
  function cut(random: Random, to: string): void {
    const left: Names = new Map([...names].map(([folder, entries]) => [folder, new Map(entries)]))
    const isThere = arrivals(waiting.length, random)
    for (const [index, naming] of waiting.entries()) if (isThere(index)) apply(left, naming)
    write(left, root, to, random)
  }

  return { each, name, sync, cut }
}

function write(names: Names, folder: Folder, path: string, random: Random): void {
  mkdirSync(path, { mode: 0o700 })
  for (const [name, node] of names.get(folder) ?? []) {
    if (node.kind === 'folder') write(names, node, join(path, name), random)
    else writeFileSync(join(path, name), leftOf(node.synced, node.waiting, random) ?? '', { mode: 0o600 })
  }
}

/** Something that is not where it comes from, since that has not arrived, stays where it is; unless it moves for good. */
function apply(names: Names, { node, from, to }: Naming, isForGood = false): void {
  if (from) {
    const isThere = names.get(from.folder)?.get(from.name) === node
    if (isThere) names.get(from.folder)?.delete(from.name)
    else if (!isForGood) return
  }
  if (to) put(names, to, node)
}

function put(names: Names, { folder, name }: Place, node: Node): void {
  const entries = names.get(folder) ?? new Map<string, Node>()
  names.set(folder, entries.set(name, node))
}
