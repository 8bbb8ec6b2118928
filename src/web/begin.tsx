import { render } from 'preact'
import { App } from './app.tsx'
import { later, loadWhenIdle, whenIdle } from './components/later.tsx'
import { startData } from './data/browser.ts'
import type { Boot } from './data/types.ts'
import { stayWhileAway } from './lib/away.ts'
import { linkBelowBase } from './lib/below-base.ts'
import { leaveKeysToInputMethods } from './lib/ime.ts'
import { locale } from './lib/locale.ts'
import { letReplacedGo } from './lib/replaced-vnodes.ts'
import { loadEntries, startRouter } from './lib/router.ts'
import { takeTextsFrom } from './lib/texts/files.ts'
import type { Language } from './lib/texts/like.ts'
import { setLanguage } from './lib/texts/texts.ts'
import { textFiles } from './screens/texts/files.ts'
import { homes, screens } from './screens.ts'
import { startShell } from './shell/start.ts'

const LATER_MS = 3000

const boot = JSON.parse(document.getElementById('boot')?.textContent ?? '') as Boot

takeTextsFrom(textFiles)
leaveKeysToInputMethods()
stayWhileAway()
startData(boot)
void start().then(() => {
  linkBelowBase()
  letReplacedGo()
  render(<App />, document.getElementById('app') ?? document.body)
  // A screen may ask for it sooner, once its own data is there.
  if (boot.signed_in) {
    setTimeout(() => {
      loadWhenIdle()
      loadEntries()
    }, LATER_MS)
  }
  whenIdle(() => void import('./shell/whole-texts.ts').then((module) => module.showWholeTexts()).catch(() => undefined))
})

async function start(): Promise<void> {
  if (!boot.signed_in) {
    locale.value = { ...locale.peek(), language: boot.language }
    await setLanguage(boot.language as Language)
    return
  }
  await startShell(boot, {
    screens,
    Panel: later(() => import('./record/peek-panel.tsx').then(({ PeekPanel }) => PeekPanel), { ahead: false }),
    SignedOut: later(() => import('./screens/sign-in/signed-out.tsx').then(({ SignedOut }) => SignedOut)),
    people: () => import('./screens/people/open.tsx'),
    counts: () => import('./tables/count-views.ts'),
  })
  await startRouter(screens, homes)
}
