// Preloaded into a server: what it checks each minute, such as whether a backup is due, it checks 20 times a second.
const { setInterval } = globalThis

globalThis.setInterval = (job, ms, ...rest) => setInterval(job, ms === 60_000 ? 50 : ms, ...rest)
