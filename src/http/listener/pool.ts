/** Shares up to this size are small: large ones leave an eighth of the pool to them. */
const MAX_SMALL_BYTES = 65_536

/** How much of a pool one request holds. */
export type Share = { held: number }

export type Pool = ReturnType<typeof bytePool>

/** Counts the bytes that all requests hold together, up to `maxBytes`. */
export function bytePool(maxBytes: number) {
  let heldBytes = 0

  function hasRoom(bytes: number): boolean {
    return heldBytes + bytes <= (bytes > MAX_SMALL_BYTES ? maxBytes * (7 / 8) : maxBytes)
  }

  /** Makes a share larger or smaller. Returns false, and releases it, if there is no room for it. */
  function hold(share: Share, bytes: number): boolean {
    heldBytes -= share.held
    share.held = hasRoom(bytes) ? bytes : 0
    heldBytes += share.held
    return share.held === bytes
  }

  function release(share: Share): void {
    heldBytes -= share.held
    share.held = 0
  }

  return { hasRoom, hold, release, heldBytes: () => heldBytes }
}
