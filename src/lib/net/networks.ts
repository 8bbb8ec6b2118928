import { isIP } from 'node:net'
import { canonical, groupsOf } from './addresses.ts'

/** A network: its canonical first address, and its prefix length. */
export type Network = { address: string; prefix: number }

/** Reads a network such as 10.0.0.0/8, split at its slash; else what is wrong with it, as the end of a sentence. */
export function readNetwork(start: string, digits: string): Network | string {
  const address = canonical(start)
  const bits = isIP(start) === 6 ? 128 : 32
  if (address === undefined) return 'is not a network'
  if (!/^\d{1,3}$/.test(digits) || Number(digits) > bits)
    return `needs a prefix length from 0 to ${bits} after the slash`
  // An IPv4-mapped network is stored as IPv4.
  const prefix = Number(digits) - (bits === 128 && isIP(address) === 4 ? 96 : 0)
  if (prefix < 0) return 'mixes IPv4 and IPv6'
  if (firstAddress(address, prefix) !== address) return 'is not the first address of its network'
  return { address, prefix }
}

/** Returns the address with all bits after the prefix cleared. */
function firstAddress(address: string, prefix: number): string {
  if (isIP(address) === 4) {
    const bytes = address.split('.').map(Number)
    return bytes.map((byte, index) => byte & mask(8, prefix - 8 * index)).join('.')
  }
  const masked = groupsOf(address).map((group, index) => group & mask(16, prefix - 16 * index))
  return canonical(masked.map((group) => group.toString(16)).join(':')) as string
}

function mask(width: number, ones: number): number {
  const on = Math.min(Math.max(ones, 0), width)
  return (2 ** on - 1) * 2 ** (width - on)
}
