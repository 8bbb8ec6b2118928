import { later } from './components/later.tsx'
import { page } from './data/boot.ts'
import { base } from './lib/base.ts'
import { Shell } from './shell/shell.tsx'

const SignIn = later(() => import('./screens/sign-in/sign-in.tsx').then(({ SignIn }) => SignIn), { ahead: false })
const LinkPage = later(() => import('./screens/sign-in/link.tsx').then(({ LinkPage }) => LinkPage), { ahead: false })

/** Pages that a link from elsewhere opens: its secret is in the fragment, which no server sees. */
const isOfLinks = /^\/(setup|join|sign-in)\/?$/.test(location.pathname.slice(base.length))
const isLink = isOfLinks && location.hash.length > 1
// Another link that is pasted over this one only changes the fragment, for which browsers load nothing.
if (isOfLinks) addEventListener('hashchange', () => location.reload())

export function App() {
  if (isLink) return <LinkPage />
  return page.value?.signed_in ? <Shell /> : <SignIn />
}
