/** `warn`: the operator should look into it; the server works nevertheless. The numbers are what was found. */
export type Passed = { status: 'pass' | 'warn'; detail?: string; [number: string]: string | number | undefined }
/** The server cannot work: `code` and `detail` are those of the response, which is 503. */
export type Failed = { status: 'fail'; code: string; detail: string }
export type Finding = Passed | Failed

/**
 * What is not well about a subject, as both say it: "dealbox doctor", with the advice, and /readyz, whose words the notices
 * and the page of operation have. Those name no record and no place: `open` is the sentence for them where `detail` does.
 */
export type Trouble = { status: 'warn' | 'fail'; detail: string; advice: string; open?: string }

/** In /readyz: whatever needs somebody there, the server works. */
export const warned = ({ detail, advice, open = `${detail} ${advice}` }: Trouble): Passed => ({
  status: 'warn',
  detail: open,
})

/** One sentence of what was found, and where the reasons are. */
export function warning(where: string, all: (string | false)[]): Passed {
  const found = all.filter((each) => each !== false)
  if (found.length === 0) return { status: 'pass' }
  const text = [...found, where].join('; ')
  return { status: 'warn', detail: `${text.slice(0, 1).toUpperCase()}${text.slice(1)}` }
}

export const counted = (count: number, one: string, more: string): string => `${count} ${count === 1 ? one : more}`
