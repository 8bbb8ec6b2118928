// Preloaded into a server: its clock is set by the process that started it, as by somebody at the machine. Only the wall
// clock: timers and performance.now() go on.
const real = Date.now
let shiftMs = Number(process.env.DEALBOX_TEST_SHIFT_MS ?? 0)

Date.now = () => real() + shiftMs

process.on('message', (given: { shiftMs: number }) => {
  shiftMs = given.shiftMs
  process.send?.('set')
})
process.channel?.unref()
