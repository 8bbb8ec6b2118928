import type { Environment } from '../../lib/machine/environment.ts'
import { nearest } from '../../lib/nearest.ts'
import { type Options, variableOf } from './options.ts'

/** Variables that look like those of options: a wrong key in a file is an error, but the environment is shared. */
export function unknownVariables(
  env: Environment,
  options: Options,
): { variable: string; meant: string | undefined }[] {
  const known = Object.entries(options).flatMap(([name, { secret }]) =>
    secret ? [variableOf(name), `${variableOf(name)}_FILE`] : [variableOf(name)],
  )
  return Object.keys(env)
    .filter((variable) => variable.startsWith('DEALBOX_') && env[variable] !== '' && !known.includes(variable))
    .map((variable) => ({ variable, meant: nearest(variable, known) }))
}

export const withoutEffect = ({ variable, meant }: { variable: string; meant: string | undefined }): string =>
  `${variable} has no effect. Did you mean ${meant}?`
