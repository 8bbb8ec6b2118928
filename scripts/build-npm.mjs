import { spawnSync } from 'node:child_process'

/** Runs npm to its end; the npm that started this process, where one did. Gives its status and all that it printed. */
export function npm(args, options = {}) {
  const { npm_execpath: cli = '', npm_node_execpath: node = process.execPath } = process.env
  // The Node that runs npm must not be the one in node_modules, which npm may be about to replace.
  const [command, ...start] = cli.endsWith('npm-cli.js') ? [node, cli] : ['npm']
  const { status, stdout, stderr, error } = spawnSync(command, [...start, ...args], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    shell: command === 'npm' && process.platform === 'win32',
    ...options,
  })
  return { status, stdout, output: error ? error.message : `${stdout}${stderr}` }
}
