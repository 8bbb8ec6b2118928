import { basename, dirname, resolve } from 'node:path'
import { callsIn, textsIn } from './calls.ts'
import type { Change } from './content.ts'
import { type File, type Folder, type Node, newFile, type Tree } from './tree.ts'

// Reads what strace has written of a command: what it did to the files below a folder, and when it said that it was done.

/** The system calls to record. */
export const TREE_CALLS =
  'openat,open,creat,close,write,writev,pwrite64,pwritev,pwritev2,lseek,ftruncate,truncate,fallocate,copy_file_range,sendfile,' +
  'mkdir,mkdirat,rmdir,unlink,unlinkat,rename,renameat,renameat2,link,linkat,symlink,symlinkat,fsync,fdatasync'

/** A step changes the tree. `done` is the answer of the command. */
export type Step = { type: 'write' | 'name' | 'sync' | 'done'; run: () => void }

/** Memory that processes share, which SQLite makes anew. */
const isIgnored = (path: string): boolean => path.endsWith('-shm')

/** Reads a recording of what was done below `path`, of which the tree is the start. Throws at what it does not know. */
export async function stepsOf(trace: string, path: string, tree: Tree): Promise<Step[]> {
  const steps: Step[] = []
  const open = new Map<number, { path: string; node: Node | undefined; at: number }>()
  /** As the process sees it. */
  const now = new Map<string, Node>()
  tree.each((at, node) => void now.set(at === '' ? path : `${path}/${at}`, node))

  const isOurs = (at: string): boolean => (at === path || at.startsWith(`${path}/`)) && !isIgnored(at)
  const naming = (what: Parameters<Tree['name']>[0]): void =>
    void steps.push({ type: 'name', run: () => tree.name(what) })
  const change = (node: File, what: Change): void =>
    void steps.push({ type: 'write', run: () => void node.waiting.push(what) })
  const placeOf = (at: string) => ({ folder: now.get(dirname(at)) as Folder, name: basename(at) })

  /** Each path with the folder that it is relative to. */
  function pathsOf(args: string): string[] {
    const texts = textsIn(args).map(String)
    const bases = [...args.matchAll(/(?:^|, )(AT_FDCWD|\d+), "/g)].map(([, base = '']) => base)
    return texts.map((text, index) => {
      const base = open.get(Number(bases[index]))?.path
      return resolve(base ?? '/', text)
    })
  }

  function appear(at: string, node: Node): void {
    const to = placeOf(at)
    now.set(at, node)
    naming({ node, to })
  }

  function vanish(at: string): void {
    const [node, from] = [now.get(at) as Node, placeOf(at)]
    now.delete(at)
    naming({ node, from })
  }

  function move(from: string, to: string): void {
    const node = now.get(from) as Node
    const what = { node, from: placeOf(from), to: placeOf(to) }
    for (const [at, each] of [...now])
      if (at === from || at.startsWith(`${from}/`)) {
        now.delete(at)
        now.set(to + at.slice(from.length), each)
      }
    naming(what)
  }

  function opened(at: string, args: string, fd: number): void {
    if (isOurs(at) && !now.has(at) && args.includes('O_CREAT')) appear(at, newFile())
    const node = now.get(at)
    open.set(fd, { path: at, node: isOurs(at) ? node : undefined, at: 0 })
    if (node?.kind === 'file' && args.includes('O_TRUNC')) change(node, { type: 'truncate', size: 0 })
  }

  function write(node: File, offset: number, data: Buffer, result: number): void {
    if (data.length !== result) throw new Error(`a write of ${result} bytes was recorded with ${data.length}`)
    change(node, { type: 'write', offset, data })
  }

  function takeFile(name: string, args: string, result: number): void {
    const fd = Number(/^\d+/.exec(args)?.[0])
    if (name === 'close') return void open.delete(fd)
    if (fd === 1 && name.startsWith('write')) return void steps.push({ type: 'done', run: () => {} })
    const found = open.get(fd)
    const node = found?.node
    if (!found || !node) return
    const last = Number(/, (\d+)$/.exec(args)?.[1])
    if (name === 'fsync' || name === 'fdatasync') return void steps.push({ type: 'sync', run: () => tree.sync(node) })
    if (name === 'lseek') return void (found.at = result)
    if (node.kind !== 'file') throw new Error(`${name} of a folder`)
    if (name === 'ftruncate') return void change(node, { type: 'truncate', size: last })
    const data = Buffer.concat(textsIn(args))
    if (name === 'pwrite64' || name === 'pwritev') return void write(node, last, data, result)
    if (name !== 'write' && name !== 'writev') throw new Error(`${name} of ${found.path} is not expected`)
    write(node, found.at, data, result)
    found.at += result
  }

  const byName: Record<string, (at: string, to: string) => void> = {
    mkdir: (at) => appear(at, { kind: 'folder' }),
    ...{ rmdir: vanish, unlink: vanish, rename: move },
  }

  for await (const { name, args, result } of callsIn(trace)) {
    if (result < 0) continue
    const [at = '', to = ''] = pathsOf(
      /^(openat|open|creat|mkdir|rmdir|unlink|rename|link|symlink)/.test(name) ? args : '',
    )
    if (name === 'openat' || name === 'open') opened(at, args, result)
    else if (at === '') takeFile(name, args, result)
    else if (isOurs(at) || (to !== '' && isOurs(to))) {
      const take = byName[name.replace(/at2?$/, '')]
      if (!take || (to !== '' && isOurs(at) !== isOurs(to))) throw new Error(`${name} of ${at} is not expected`)
      take(at, to)
    }
  }
  return steps
}
