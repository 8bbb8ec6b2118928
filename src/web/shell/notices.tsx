import { useState } from 'preact/hooks'
import { Button } from '../components/button.tsx'
import { later } from '../components/later.tsx'
import { Tabs } from '../components/tabs.tsx'
import { mayWrite } from '../data/may.ts'
import { texts as bellTexts } from './bell/texts.ts'
import { newNotices } from './new-notices.ts'
import { placeOf, useNotices } from './notice-data.ts'
import { NoticeRow } from './notice-row.tsx'
import { texts } from './texts.ts'
import './notices.css'

const MyChanges = later(() => import('./steps/my-changes.tsx').then((module) => module.MyChanges))

const PANEL = 'bell-panel'

/** The bell: what concerns me, and what I did, which can be taken back. Both have a page. */
export function Notices({ close }: { close: () => void }) {
  const [shown, setShown] = useState<'notices' | 'changes'>('notices')
  const list = useNotices()
  const words = texts()
  const isViewer = !mayWrite()
  const rows = <List list={list} close={close} />
  return (
    <>
      <header class="row strip">
        {isViewer ? (
          <h2>{words.notices}</h2>
        ) : (
          <Tabs
            label={words.notices}
            panel={PANEL}
            value={shown}
            tabs={[
              { value: 'notices', label: words.notices, count: newNotices.value || undefined },
              { value: 'changes', label: words.places.changes },
            ]}
            onChange={setShown}
          />
        )}
        {shown === 'notices' && newNotices.value > 0 && (
          <Button plain onClick={() => void list.readAll()}>
            {bellTexts().markRead}
          </Button>
        )}
      </header>
      {isViewer ? (
        rows
      ) : (
        <div id={PANEL} role="tabpanel" aria-labelledby={`${PANEL}-${shown}`}>
          {shown === 'notices' ? rows : <MyChanges />}
        </div>
      )}
      <footer>
        {shown === 'notices' ? (
          <a href="/notices" onClick={close}>
            {bellTexts().allNotices}
          </a>
        ) : (
          <a href="/settings/changes" onClick={close}>
            {bellTexts().allChanges}
          </a>
        )}
      </footer>
    </>
  )
}

/** What concerns me, newest first. */
function List({ list, close }: { list: ReturnType<typeof useNotices>; close: () => void }) {
  const { notices, isFailed, open } = list
  return (
    <>
      {isFailed && <p class="none">{bellTexts().noticesFailed}</p>}
      {notices?.length === 0 && (
        <div class="none">
          <b class="mid">{bellTexts().noNotices}</b>
          <p class="mute small">{bellTexts().noNoticesBody}</p>
        </div>
      )}
      {notices !== null && notices.length > 0 && (
        <ul data-scroll="notices">
          {notices.map((notice) => (
            <li key={notice.id}>
              <NoticeRow
                notice={notice}
                href={placeOf(notice)}
                onOpen={() => {
                  open(notice)
                  close()
                }}
              />
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
