import { getCACertificates, setDefaultCACertificates } from 'node:tls'

const usual = getCACertificates('default')
const given: string[][] = []

/**
 * Until the test ends, or this is called again, this process trusts these certificates, as with --ca, and no others that tests
 * have made: with none, it trusts no server of a test.
 */
export function trusting(t: { after: (end: () => unknown) => void }, ...certificates: string[]): void {
  given.push(certificates)
  applyLast()
  t.after(() => {
    given.splice(given.indexOf(certificates), 1)
    applyLast()
  })
}

const applyLast = (): void => setDefaultCACertificates([...usual, ...(given.at(-1) ?? [])])
