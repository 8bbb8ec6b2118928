import { Confirm } from '../components/confirm.tsx'
import { SourcesContext } from '../components/fields/sources.ts'
import { later, laterInFocus } from '../components/later.tsx'
import { over } from '../components/over.tsx'
import { Toasts } from '../components/toast.tsx'
import { isSignedOut } from '../data/connection.ts'
import { stuck } from '../data/writes.ts'
import { isLoading, shown } from '../lib/router.ts'
import { isNarrow, isPhone } from '../lib/widths.ts'
import { above } from './above.ts'
import { isAskingForSample } from './asking.ts'
import { closeKeysPage, closeMenu, closePalette, isKeysPageOpen, openedMenu, openedPalette } from './commands/opened.ts'
import { ConnectionBanner } from './connection-banner.tsx'
import { PeekPlace } from './peek-place.tsx'
import { ScreenHost } from './screen-host.tsx'
import { Sidebar } from './sidebar.tsx'
import { sources } from './sources.ts'
import { TabBar } from './tab-bar.tsx'
import { texts } from './texts.ts'
import './shell.css'

const Palette = laterInFocus(() => import('./commands/palette.tsx').then((module) => module.Palette))
const KeysPage = laterInFocus(() => import('./commands/keys-page.tsx').then((module) => module.KeysPage))
const ContextMenu = laterInFocus(() => import('./commands/context-menu.tsx').then((module) => module.ContextMenu))
const SampleQuestion = later(() => import('./sample-question.tsx').then((module) => module.SampleQuestion))
const StuckChanges = later(() => import('./stuck/stuck-changes.tsx').then((module) => module.StuckChanges))

/** What opens over everything. It stands apart so that opening it does not render the frame. */
function Over() {
  return (
    <>
      {openedPalette.value && <Palette onClose={closePalette} />}
      {isKeysPageOpen.value && <KeysPage onClose={closeKeysPage} />}
      {openedMenu.value && <ContextMenu onClose={closeMenu} />}
      {isAskingForSample.value && <SampleQuestion />}
      {over.value}
      {isSignedOut.value && <above.SignedOut />}
    </>
  )
}

/** It stands apart for the same reason. */
const Stuck = () => stuck.value.length > 0 && <StuckChanges />

/** The frame around the screens: sidebar or bar of places, and what floats over all of them. */
export function Shell() {
  const entries = above.screens
  const now = shown.value
  const wantsRail = now?.kind === 'screen' && now.entry.hasRail === true
  const isRail = isNarrow.value || wantsRail
  return (
    <SourcesContext.Provider value={sources}>
      <div class={isPhone.value ? 'app phone' : isRail ? 'app rail' : 'app'}>
        <a class="skip" href="#content">
          {texts().skip}
        </a>
        {!isPhone.value && <Sidebar entries={entries} isRail={isRail} />}
        <main class="main fill" id="content" tabIndex={-1} aria-busy={isLoading.value}>
          <ConnectionBanner />
          <Stuck />
          <div class="beside">
            <ScreenHost />
            <PeekPlace />
          </div>
        </main>
        {isPhone.value && <TabBar entries={entries} />}
      </div>
      <Over />
      <Confirm />
      <Toasts />
    </SourcesContext.Provider>
  )
}
