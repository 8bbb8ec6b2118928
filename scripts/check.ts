// npm run check: format, lint and types, in seconds. --fix fixes what it can.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const modules = join(import.meta.dirname, '../node_modules')
const steps = [
  [
    '@biomejs/biome/bin/biome',
    process.argv.includes('--fix') ? 'check' : 'ci',
    ...(process.argv.includes('--fix') ? ['--write'] : []),
    '.',
  ],
  // The next check looks at what has changed.
  ...['.', 'src/web', 'test/web'].map((project) => {
    const known = join(modules, '.cache/dealbox/types', `${project.replace('/', '-')}.tsbuildinfo`)
    return ['typescript/bin/tsc', '--noEmit', '--incremental', '--tsBuildInfoFile', known, '-p', project]
  }),
]
for (const [tool = '', ...argv] of steps) {
  const { status } = spawnSync(process.execPath, [join(modules, tool), ...argv], {
    stdio: 'inherit',
    cwd: join(modules, '..'),
  })
  if (status !== 0) process.exit(status ?? 1)
}
