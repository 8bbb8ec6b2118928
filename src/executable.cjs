// The main script of the executable. V8 compiles a function when it is first called, which took most of the time of a
// start: so the bundle runs with the functions that it had compiled in a start of its own build.
const { getAssetKeys, getRawAsset } = require('node:sea')
const vm = require('node:vm')
const { zstdDecompressSync } = require('node:zlib')
const { leaveOrders } = require('./surroundings.cjs')

const CACHE = 'dealbox.cache.zst'

leaveOrders(process.env, [process.argv0, ...process.argv.slice(2)])

// The bundle has ASCII characters only, and its text is a function.
const source = Buffer.from(getRawAsset('dist/dealbox.cjs')).latin1Slice()
const importModuleDynamically = vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER

/** Compiled functions that do not fit, as with other V8 options, are ignored: the start is slower then. */
const compiled = (cachedData) => new vm.Script(source, { filename: 'dealbox.cjs', cachedData, importModuleDynamically })
const script = compiled(
  getAssetKeys().includes(CACHE) ? zstdDecompressSync(Buffer.from(getRawAsset(CACHE))) : undefined,
)
const main = { exports: {} }
script.runInThisContext()(main.exports, require, main, __filename, __dirname)

module.exports = { script, compiled }
