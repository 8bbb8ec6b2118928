/** `warn`: the operator should look into it; the server works nevertheless. The numbers are what was found. */
export type Passed = { status: 'pass' | 'warn'; detail?: string; [number: string]: string | number | undefined }
/** The server cannot work: `code` and `detail` are those of the response, which is 503. */
export type Failed = { status: 'fail'; code: string; detail: string }
export type Finding = Passed | Failed

/** One sentence of what was found, and where the reasons are. */
export function warning(where: string, all: (string | false)[]): Passed {
  const found = all.filter((each) => each !== false)
  if (found.length === 0) return { status: 'pass' }
  const text = [...found, where].join('; ')
  return { status: 'warn', detail: `${text.slice(0, 1).toUpperCase()}${text.slice(1)}` }
}

export const counted = (count: number, one: string, more: string): string => `${count} ${count === 1 ? one : more}`
