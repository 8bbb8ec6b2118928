import { linkSync, lstatSync, renameSync, unlinkSync } from 'node:fs'
import type { Server } from 'node:http'
import { connect } from 'node:net'
import { dirname } from 'node:path'

/** The owner and the group may connect: a proxy is made a member of the group. */
const UMASK = 0o117

/**
 * Listens on a Unix socket, whose file goes when the server is closed. One that a killed server has left is replaced, if
 * nobody answers there. Rejects with an error whose message completes "Cannot listen there: ...".
 */
export async function listenOnSocket(server: Server, path: string, backlog: number): Promise<void> {
  try {
    await bind(server, path, backlog)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw explained(error as NodeJS.ErrnoException, path)
    await removeStale(path)
    await bind(server, path, backlog).catch((again) => {
      throw again.code === 'EADDRINUSE' ? new Error(IN_USE) : again
    })
  }
}

const IN_USE = 'another program listens there'

function bind(server: Server, path: string, backlog: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = () => {
      server.off('error', reject)
      resolve()
    }
    server.once('error', (error) => {
      server.off('listening', done)
      reject(error)
    })
    // The file is made at once, and has its mode from the first moment.
    const before = process.umask(UMASK)
    try {
      server.listen({ path, backlog }, done)
    } finally {
      process.umask(before)
    }
  })
}

/** The file is taken aside before it is asked again, so that it cannot be that of a server which starts at this moment. */
async function removeStale(path: string): Promise<void> {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSocket() === false)
    throw new Error('a file is there that is no socket')
  if (await answers(path)) throw new Error(IN_USE)
  const aside = `${path}.${process.pid}`
  try {
    renameSync(path, aside)
    const isUsed = await answers(aside)
    if (isUsed) linkSync(aside, path)
    unlinkSync(aside)
    if (isUsed) throw new Error(IN_USE)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return // another one has removed it
    throw code === undefined
      ? error
      : new Error(`the socket of an earlier server is there and cannot be removed (${code})`)
  }
}

/** Whether somebody listens. What cannot be asked, such as the socket of another user, counts as used. */
function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code !== 'ECONNREFUSED' && code !== 'ENOENT'))
  })
}

/** libuv says EACCES also where there is no folder. */
function explained(error: NodeJS.ErrnoException, path: string): Error {
  if (error.code !== 'EACCES') return error
  const folder = lstatSync(dirname(path), { throwIfNoEntry: false })
  return new Error(folder ? `this user may not make files in ${dirname(path)}` : `there is no folder ${dirname(path)}`)
}
