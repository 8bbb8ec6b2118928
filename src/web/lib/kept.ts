import { base } from './base.ts'

// What the browser keeps, by names that say for which installation and at which port: several may be reached at one address
// by turns, through a tunnel or after a move, and a restored copy has the id of the first. Below two paths of a name are two servers
// at once, and nothing of the one is for the other.

/** What names begin with that are of this address, for whatever installation. */
export const OF_HERE = `dealbox${base && `${base}/`}-`

let place = ''

/** Without a path, names are also those of earlier versions, which were never below one: with and without a beginning. */
const isOfHere = (name: string): boolean => (base ? name.startsWith(OF_HERE) : !name.startsWith('dealbox/'))

/** Call it before anything is kept or read. */
export function setPlace(installation: string): void {
  place = `${OF_HERE}${installation}-${location.port}/`
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

/** Keeps a text, or with null none. Returns false without storage, or with a full one: then it lasts as long as the page. */
export function keep(what: string, text: string | null): boolean {
  try {
    if (text === null) localStorage.removeItem(place + what)
    else localStorage.setItem(place + what, text)
    return true
  } catch {
    return false
  }
}

/** The names of what is kept here whose name has this in it. */
export function keptNames(part: string): string[] {
  try {
    const names = Object.keys(localStorage).filter((name) => name.startsWith(place))
    return names.map((name) => name.slice(place.length)).filter((name) => name.includes(part))
  } catch {
    return []
  }
}

/** Forgets all that is kept for a member, under whatever name of this address. */
export function forgetAll(member: string): void {
  try {
    for (const name of Object.keys(localStorage))
      if (isOfHere(name) && name.includes(member)) localStorage.removeItem(name)
  } catch {
    // without storage there is nothing
  }
}

/** What once belonged to all members who signed in here. */
const SHARED = ['dealbox.recent', 'dealbox.card-fields']

/**
 * Gives the names of today to what an earlier version has kept, and to what another installation at this address has kept
 * for this member: their organisation has moved since.
 */
export function takeOver(member: string): void {
  try {
    for (const old of Object.keys(localStorage)) {
      let what = old.startsWith(OF_HERE) ? old.slice(OF_HERE.length).replace(/^\w+-\d*\//, '') : old
      const isOld = what === old && old.startsWith('dealbox.')
      if (!isOfHere(old) || old === place + what || !(isOld || what.includes(member))) continue
      if (SHARED.includes(what)) what += `.${member}`
      localStorage[place + what] ??= localStorage[old]
      localStorage.removeItem(old)
    }
  } catch {
    // without storage there is nothing
  }
}
