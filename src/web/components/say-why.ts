import { ApiProblem, InFront, NoAnswer } from '../data/api.ts'
import { t } from '../lib/texts/texts.ts'

/** In words for a person: why the server refused it, which is in their language already, or that it said nothing. */
export function sayWhy(error: unknown): string {
  // What the page finds out by itself has no words of a server.
  if (error instanceof ApiProblem && error.detail === error.code) return t().changedMeanwhile
  if (error instanceof ApiProblem) return error.errors[0]?.message ?? error.message
  if (error instanceof InFront) return t().inFront(error.status)
  return error instanceof NoAnswer ? t().noAnswer : t().commandFailed
}
