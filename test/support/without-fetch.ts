// Loaded before every test file. Node's "fetch" comes with a large library, which the first import of node:http would read
// for the sake of three exports that nobody uses, at a tenth of a second for each process; the global ones stay as they are.
const http = process.getBuiltinModule('node:http')
for (const name of ['WebSocket', 'CloseEvent', 'MessageEvent'])
  Object.defineProperty(http, name, { value: undefined, configurable: true })
