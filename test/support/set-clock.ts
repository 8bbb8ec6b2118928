// Preloaded into a server: the parent process sets its clock, as an administrator would. Only the wall clock: timers
// and performance.now() are not affected.
const real = Date.now
let shiftMs = Number(process.env.DEALBOX_TEST_SHIFT_MS ?? 0)

Date.now = () => real() + shiftMs

process.on('message', (given: { shiftMs: number }) => {
  shiftMs = given.shiftMs
  process.send?.('set')
})
process.channel?.unref()
