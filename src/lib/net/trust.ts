import { resolve } from 'node:path'
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads'

// Which authorities are trusted beside those of Node: by every connection of this process, so that no client has to be told.
// Names are checked as ever.

/** Under which threads find what the thread that started them trusts: Node keeps its authorities for each thread alone. */
const OF_THREADS = 'dealbox.ca'

/** Where programs that this process starts find them. */
let ownFile: string | undefined

/** Trusts the certificates (PEM) in a file, whose content is given, from now on. Throws if it has none, or one that is broken. */
export function trustAlso(certificates: string, file: string): void {
  trustHere(certificates)
  setEnvironmentData(OF_THREADS, certificates)
  ownFile = resolve(file)
}

/** For a thread that opens connections: trusts what the thread trusts that has started it. */
export function trustAsStarter(): void {
  const certificates = getEnvironmentData(OF_THREADS)
  if (typeof certificates === 'string') trustHere(certificates)
}

function trustHere(certificates: string): void {
  const { getCACertificates, setDefaultCACertificates } = process.getBuiltinModule('node:tls') // few commands need it
  setDefaultCACertificates([...getCACertificates('default'), certificates])
}

/** The environment for programs written in Go, which read certificates from this file beside those of the machine. */
export const trustingEnvironment = (): NodeJS.ProcessEnv =>
  ownFile === undefined ? process.env : { ...process.env, SSL_CERT_FILE: ownFile }
