import type { ComponentType } from 'preact'
import type { Params } from './match.ts'

export type Place = { path: string; query: URLSearchParams; params: Params }

export type ScreenProps = { params: Params }

/** What the file of a screen exports. */
export type ScreenModule = {
  default?: ComponentType<ScreenProps>
  Screen?: ComponentType<ScreenProps>
  /** Loads what the first paint needs; the old screen stays meanwhile, but never longer than `PATIENCE_MS`. */
  prepare?: (place: Place) => unknown
}

export type NavGroup = 'day' | 'records' | 'more'

export type ScreenEntry = {
  /** Pattern of the address, such as `/deals/:id`. */
  path: string
  title: () => string
  /** Other words for it, by which the palette finds it too. */
  words?: () => string
  load?: () => Promise<ScreenModule>
  /** The screens that take its place in the list, once somebody goes to one of them. */
  more?: () => Promise<readonly ScreenEntry[]>
  /** Its place in the sidebar; without one it is only reached by links. */
  nav?: { group: NavGroup; icon: string; label: () => string; key: string; places?: readonly string[] }
  /** Its place in the index of the settings; `role` hides it from those who have less. */
  settings?: { group: 'you' | 'organisation' | 'mail' | 'machine'; icon: string; role?: 'owner' | 'admin' | 'member' }
  /** Its styles come with the page. */
  isStyled?: true
  /** The sidebar is narrow here at every width, as in the inbox. */
  hasRail?: true
}

/** What is on the page: a screen, nothing at this address, or a screen whose files did not arrive. */
export type Shown =
  | { kind: 'screen'; entry: ScreenEntry; Component: ComponentType<ScreenProps>; place: Place }
  | { kind: 'missing'; place: Place }
  | { kind: 'failed'; place: Place; entry: ScreenEntry }

export type NavigateOptions = {
  /** Takes the place of the current entry in the history. */
  replace?: boolean
}
