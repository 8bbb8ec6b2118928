/** How long running work may take to finish when the server stops. */
export const GRACE_MS = 10_000

/** A server that runs. */
export type Running = {
  api: string
  screens: string | null
  /** The link that creates the first organisation, while there is none. */
  setup: string | null
  /** Reads the certificate again, if there is one. */
  reload: (() => Promise<void>) | undefined
  stop: () => Promise<void>
  /** Rejects when it cannot go on. */
  failed?: Promise<never>
}
