import { entries, homeAddress } from '../lib/router.ts'
import { texts } from './texts.ts'

/** The first screen, for ways back from where nothing is. */
export function home(): { href: string; label: string } {
  const href = homeAddress.value
  const label = entries.value.find(({ path }) => path === href)?.title() ?? texts().settings
  return { href, label: label.toLocaleLowerCase(document.documentElement.lang) }
}
