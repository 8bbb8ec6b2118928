import { MINUTE_MS } from '../../time.ts'

export type SmtpTimes = { connect_ms: number; greeting_ms: number; answer_ms: number; idle_ms: number; try_ms: number }

export const TIMES: SmtpTimes = {
  connect_ms: 15_000,
  greeting_ms: 15_000,
  answer_ms: MINUTE_MS,
  idle_ms: 30_000,
  /** A limit for servers that send just enough to avoid the other timeouts; large mails have more: see `limitOf`. */
  try_ms: 600_000,
}

/** Slower lines are given up: 49 MiB take less than two hours on this one. Silence alone ends a try after `answer_ms`. */
const SLOWEST_BYTES_PER_MS = 8

/** How long one try to send a mail may take. */
export const limitOf = (bytes: number, { try_ms } = TIMES): number => try_ms + Math.ceil(bytes / SLOWEST_BYTES_PER_MS)
