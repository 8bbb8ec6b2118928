/** What `yardstick` takes on a machine that is not busy, at the most. */
const YARDSTICK_MS = 12

/**
 * Starts a clock of the CPU time of this process, in milliseconds of a machine that is not busy. What else runs takes no time
 * of this process, but slows down what it does, by caches and by cores that are two in one: so a fixed piece of work is timed
 * before and after.
 */
export function startCpuClock(): () => number {
  const before = yardstick()
  const start = process.cpuUsage()
  return () => {
    const spent = cpuMs(start)
    return spent / Math.max(1, before / YARDSTICK_MS, yardstick() / YARDSTICK_MS)
  }
}

function cpuMs(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1000
}

/** Scans, cuts and joins text, as what is timed does. */
function yardstick(): number {
  const start = process.cpuUsage()
  const words = Array.from({ length: 20_000 }, (_, at) => `word ${at.toString(36)}`)
  const text = words.join(' ').replace(/[a-m]+/g, (part) => part.toUpperCase())
  if (JSON.parse(JSON.stringify(text.split(' '))).length !== 40_000) throw new Error('the yardstick is broken')
  return cpuMs(start)
}

yardstick() // compiles it

/** The same of this thread alone: it goes by steps of some milliseconds. */
export function startThreadClock(): () => number {
  const start = process.threadCpuUsage()
  return () => {
    const { user, system } = process.threadCpuUsage(start)
    return (user + system) / 1000
  }
}
