/** Repeats a job until the returned function is called. */
export type Every = (ms: number, job: () => void) => () => void

/** Does not keep the process running. */
export const everyMs: Every = (ms, job) => {
  const timer = setInterval(job, ms).unref()
  return () => clearInterval(timer)
}
