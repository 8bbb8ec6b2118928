import { Problem } from '../../../lib/problem.ts'

const FULL = ['ENOSPC', 'EDQUOT']

export const isFull = (error: unknown): boolean => FULL.includes(String((error as NodeJS.ErrnoException).code))

/** Problem 503 `storage_full` if the disk of a local file is full; any other error is returned unchanged. */
export const localProblem = (error: unknown, file: string): unknown =>
  isFull(error) ? new Problem(503, 'storage_full', `There is no space on the disk for ${file}.`) : error
