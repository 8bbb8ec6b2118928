import { base } from './base.ts'

// The policy of the page lets no text become a script or a worker, except through the one policy named here: it knows the
// one address that the app loads in such a way. Browsers without trusted types take the address as it is.

type Policy = { createScriptURL: (url: string) => unknown }
type Factory = { createPolicy: (name: string, rules: { createScriptURL: (url: string) => string }) => Policy }

let policy: Policy | undefined

/** The address of the stream's worker, as `new SharedWorker` takes it. */
export function workerUrl(): string {
  const factory = (globalThis as { trustedTypes?: Factory }).trustedTypes
  const address = base + STREAM_WORKER_URL
  if (!factory) return address
  policy ??= factory.createPolicy('dealbox', {
    createScriptURL(url) {
      if (url !== address) throw new TypeError('Only the worker of the stream may be started.')
      return url
    },
  })
  return policy.createScriptURL(address) as string
}
