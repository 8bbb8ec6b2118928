import { readFileSync } from 'node:fs'
export function asset(name: string): Buffer {
  return readFileSync(new URL(`../${name}`, import.meta.url))
}
