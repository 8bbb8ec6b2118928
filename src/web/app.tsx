import { page } from './data/boot.ts'
import { lazy } from './lazy.tsx'
import { screens } from './screens.ts'
import { Shell } from './shell/shell.tsx'

const SignIn = lazy(() => import('./screens/sign-in/sign-in.tsx').then(({ SignIn }) => SignIn))
const LinkPage = lazy(() => import('./screens/sign-in/link.tsx').then(({ LinkPage }) => LinkPage))

/** Pages that a link from elsewhere opens: its secret is in the fragment, which no server sees. */
const isLink = /^\/(setup|join|sign-in)\/?$/.test(location.pathname) && location.hash.length > 1

export function App() {
  if (isLink) return <LinkPage />
  return page.value?.signed_in ? <Shell entries={screens} /> : <SignIn />
}
