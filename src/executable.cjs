// The main script of the executable. V8 compiles a function when it is first called, which took most of the time of a
// start: so the bundle runs with the functions that it had compiled in a start of its own build.
const { getAssetKeys, getRawAsset } = require('node:sea')
const vm = require('node:vm')
const { zstdDecompressSync } = require('node:zlib')
const { leaveOrders } = require('./lib/machine/surroundings.cjs')

const SOURCE = 'dealbox.cjs.zst'
const CACHE = 'dealbox.cache.zst'
/** Of either; the build refuses more. Without it, Node puts hundreds of small pieces together: 2 ms of a start. */
const MAX_BYTES = 8 * 1024 * 1024

leaveOrders(process.env, [process.argv0, ...process.argv.slice(2)])

const unpacked = (name) => zstdDecompressSync(Buffer.from(getRawAsset(name)), { chunkSize: MAX_BYTES })

// The bundle has ASCII characters only, and its text is a function.
const source = unpacked(SOURCE).latin1Slice()
const importModuleDynamically = vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER

/** Compiled functions that do not fit, as with other V8 options, are ignored: the start is slower then. */
const compiled = (cachedData) => new vm.Script(source, { filename: 'dealbox.cjs', cachedData, importModuleDynamically })
const script = compiled(getAssetKeys().includes(CACHE) ? unpacked(CACHE) : undefined)
const main = { exports: {} }
script.runInThisContext()(main.exports, require, main, __filename, __dirname)

module.exports = { script, compiled }
