/** Starts a clock of the CPU time of this process, in milliseconds: other load on the machine does not count. */
export function startCpuClock(): () => number {
  const start = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(start)
    return (user + system) / 1000
  }
}
