/** Requests at once of callers who are known, and of all others together, of whom each address has few. */
const MAX_KNOWN = 256
const MAX_UNKNOWN = 64
const MAX_OF_ADDRESS = 8

/** The most requests that have a place at once. */
export const MAX_PLACES = MAX_KNOWN + MAX_UNKNOWN

/** Whose request it is: of somebody who is known, or of an address. */
export type Asker = { isKnown: boolean; address: string }

/** Places for requests that may take long. Strangers cannot take those of others. */
export function places() {
  let known = 0
  let unknown = 0
  const ofAddress = new Map<string, number>()

  /** Returns what gives the place back, or undefined if there is none. */
  function take({ isKnown, address }: Asker): (() => void) | undefined {
    if (isKnown) {
      if (known >= MAX_KNOWN) return undefined
      known++
      return () => void known--
    }
    const own = ofAddress.get(address) ?? 0
    if (unknown >= MAX_UNKNOWN || own >= MAX_OF_ADDRESS) return undefined
    unknown++
    ofAddress.set(address, own + 1)
    return () => {
      unknown--
      const left = (ofAddress.get(address) as number) - 1
      if (left > 0) ofAddress.set(address, left)
      else ofAddress.delete(address)
    }
  }

  return { take }
}
