// The recording may begin before or after the clock of the transcript. The seconds between stand in the part of its address
// that stays in the browser, "#shift=-30", so that they are the meeting's, for everybody, and in every copy of it.

const OWN = /^#(?:shift|t)=-?\d+(?:\.\d+)?$/
const MOST_SECONDS = 86_400

/** The seconds that are added to a time of the transcript to get that of the recording. */
export function shiftOf(address: string): number {
  const [, seconds] = /#shift=(-?\d+(?:\.\d+)?)$/.exec(address) ?? []
  return seconds === undefined ? 0 : clamped(Number(seconds))
}

/** Undefined if the address has a part of its own there, which must not be lost. */
export function withShift(address: string, seconds: number): string | undefined {
  if (!canShift(address)) return undefined
  const [plain = ''] = address.split('#')
  return seconds === 0 ? plain : `${plain}#shift=${clamped(seconds)}`
}

export function canShift(address: string): boolean {
  const at = address.indexOf('#')
  return at < 0 || OWN.test(address.slice(at))
}

/** The address that opens the recording at a time of the transcript: most players know "#t=754". */
export function playAt(address: string, ms: number): string {
  if (!canShift(address)) return address
  const [plain = ''] = address.split('#')
  return `${plain}#t=${Math.max(0, Math.floor(ms / 1000 + shiftOf(address)))}`
}

const clamped = (seconds: number): number =>
  Number.isFinite(seconds) ? Math.max(-MOST_SECONDS, Math.min(MOST_SECONDS, Math.round(seconds))) : 0
