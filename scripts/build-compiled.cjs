// The main script of an executable that only the build runs: as a server it writes the functions that it has compiled to a
// file when its input ends.
const { writeFileSync } = require('node:fs')
const { script, compiled } = require('../src/executable.cjs')

if (process.argv.includes('serve')) process.stdin.resume().on('end', write)

function write() {
  const cachedData = script.createCachedData()
  if (compiled(cachedData).cachedDataRejected) throw new Error('V8 rejects the functions that it has compiled')
  writeFileSync(process.env.COMPILED_TO, cachedData)
  process.exit()
}
