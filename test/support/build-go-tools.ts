// npm run go-tools: builds the programs in Go that tests need. Those that take minutes are not built by the tests of a
// developer.
import { goTool, noGo } from './go-tools.ts'
import { litestreamProgram } from './litestream.ts'

if (noGo) {
  console.error(noGo)
  process.exit(1)
}
goTool('github.com/versity/versitygw/cmd/versitygw')
litestreamProgram()
