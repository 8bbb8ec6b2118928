import { spawnSync } from 'node:child_process'

/** Runs npm to completion, if possible the one that started this process. Returns its status and output. */
export function npm(args, options = {}) {
  const { npm_execpath: cli = '', npm_node_execpath: node = process.execPath } = process.env
  // npm must not run on the Node in node_modules, which it may be about to replace.
  const [command, ...start] = cli.endsWith('npm-cli.js') ? [node, cli] : ['npm']
  const { status, stdout, stderr, error } = spawnSync(command, [...start, ...args], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    shell: command === 'npm' && process.platform === 'win32',
    ...options,
  })
  return { status, stdout, output: error ? error.message : `${stdout}${stderr}` }
}
