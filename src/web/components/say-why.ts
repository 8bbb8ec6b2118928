import { ApiProblem, InFront, NoAnswer } from '../data/api.ts'
import { texts } from '../shell/texts.ts'

/** In words for a person: why the server refused it, which is in their language already, or that it said nothing. */
export function sayWhy(error: unknown): string {
  // What the page finds out by itself has no words of a server.
  if (error instanceof ApiProblem && error.detail === error.code) return texts().changedMeanwhile
  if (error instanceof ApiProblem) return error.errors[0]?.message ?? error.message
  if (error instanceof InFront) return texts().inFront(error.status)
  return error instanceof NoAnswer ? texts().noAnswer : texts().commandFailed
}
