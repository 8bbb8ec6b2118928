import type { MessagePort } from 'node:worker_threads'
import type { Decryption, Encryption } from './secrets.ts'

// What age-worker.ts and its thread say to each other.

export type Task =
  | { do: 'check'; encryption?: Encryption; decryption?: Decryption }
  /** Without `to`, the result is a stream. */
  | { do: 'encrypt'; from: string; to?: string; encryption: Encryption }
  | { do: 'decrypt'; from: string; to?: string; decryption: Decryption }

/** For a thread that waits: each change of the number is a sign of life, and the message says how it ended. */
export type Told = { alive: Int32Array; port: MessagePort }
export type Ending = { error?: { message: string; code: string | undefined } }
