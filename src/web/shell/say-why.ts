import { ApiProblem, InFront, NoAnswer } from '../data/api.ts'
import { texts } from './texts.ts'

/** In words for a person: what the server said, or that it said nothing. */
export function sayWhy(error: unknown): string {
  if (error instanceof ApiProblem) return error.errors[0]?.message ?? error.message
  if (error instanceof InFront) return texts().inFront(error.status)
  return error instanceof NoAnswer ? texts().noAnswer : texts().commandFailed
}
