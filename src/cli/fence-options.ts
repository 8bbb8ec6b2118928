import { type Options, usage } from '../config.ts'

export const fenceOptions = {
  fence: {
    type: 'string',
    placeholder: 'on|off',
    default: 'on',
    help: 'with --replica: write only while this server knows that no other one was promoted; off leaves that to you',
  },
} as const satisfies Options

/** Throws a usage Problem. */
export function readFence(given: string = fenceOptions.fence.default): boolean {
  if (given === 'on' || given === 'off') return given === 'on'
  throw usage(`--fence ${given} is neither on nor off.`)
}
