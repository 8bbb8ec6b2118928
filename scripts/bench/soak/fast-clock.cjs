// Preloaded into every Dealbox process of a soak, also of the executable: their wall clocks run faster, and agree. Timers
// and performance.now() are not affected.
const [began, epoch, faster] = process.env.DEALBOX_BENCH_CLOCK.split(' ').map(Number)
Date.now = () => Math.floor(epoch + (Number(process.hrtime.bigint() / 1_000_000n) - began) * faster)
