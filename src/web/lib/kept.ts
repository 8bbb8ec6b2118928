// What the browser keeps, by names that say for which installation and at which port: several may be reached at one address
// by turns, through a tunnel or after a move, and a restored copy has the id of the first.

let place = ''

/** Call it before anything is kept or read. */
export function setPlace(installation: string): void {
  place = `dealbox-${installation}-${location.port}/`
}

export const nameHere = (what: string): string => place + what

/** A text in localStorage; null without one, and where the browser forbids it. */
export function kept(what: string): string | null {
  try {
    return localStorage.getItem(place + what)
  } catch {
    return null
  }
}

/** Keeps a text, or with null none. Without storage, or with a full one, it lasts as long as the page. */
export function keep(what: string, text: string | null): void {
  try {
    if (text === null) localStorage.removeItem(place + what)
    else localStorage.setItem(place + what, text)
  } catch {
    // see above
  }
}

/**
 * Gives the names of today to what an earlier version has kept, and to what another installation at this address has kept
 * for this member: their organisation has moved since.
 */
export function takeOver(member: string): void {
  try {
    for (const old of Object.keys(localStorage)) {
      let what = old.replace(/^dealbox-\w+-\d*\//, '')
      const isOld = what === old && old.startsWith('dealbox.')
      if (old === place + what || !(isOld || what.includes(member))) continue
      if (what === 'dealbox.recent') what += `.${member}`
      localStorage[place + what] ??= localStorage[old]
      localStorage.removeItem(old)
    }
  } catch {
    // without storage there is nothing
  }
}
