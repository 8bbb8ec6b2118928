import { useEffect, useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { Empty } from '../../components/empty.tsx'
import { later } from '../../components/later.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { mayWrite } from '../../data/may.ts'
import { format } from '../../lib/locale.ts'
import { now } from '../../lib/now.ts'
import { query, setQuery } from '../../lib/router.ts'
import { rovingKeys } from '../../lib/roving.ts'
import { isPeekWide } from '../../lib/widths.ts'
import { Bar } from '../../shell/bar.tsx'
import { texts as bellTexts } from '../../shell/bell/texts.ts'
import { newNotices } from '../../shell/new-notices.ts'
import { type Notice, placeOf, useNotices } from '../../shell/notice-data.ts'
import { NoticeRow } from '../../shell/notice-row.tsx'
import { texts as shellTexts } from '../../shell/texts.ts'
import { daysOf, isIn, type NoticeTab, TABS } from './days.ts'
import { Details } from './details.tsx'
import '../../shell/notices.css'
import './notices.css'

const MyChanges = later(() => import('../../shell/steps/my-changes.tsx').then((module) => module.MyChanges))

const PANEL = 'notices-panel'

/** What concerns me by days, and the chosen notice with its record at the right; on a phone also what I did, as in the bell. */
export default function NoticesScreen() {
  const list = useNotices()
  const { notices, isFailed, hasMore } = list
  const [tab, setTab] = useState<NoticeTab | 'changes'>(newNotices.peek() > 0 ? 'new' : 'all')
  /** What was read on this page stays among the new ones until the tab is left. */
  const [seen, setSeen] = useState<ReadonlySet<string>>(new Set())
  const words = bellTexts()
  const choose = (next: NoticeTab | 'changes') => {
    setSeen(new Set())
    setTab(next)
  }
  const shown = tab === 'changes' ? [] : (notices ?? []).filter((each) => isIn(each, tab, seen))
  const chosen = isPeekWide.value ? shown.find(({ id }) => id === query.value.get('notice')) : undefined
  const read = (notice: Notice) => {
    setSeen((before) => new Set([...before, notice.id]))
    list.open(notice)
  }
  useEffect(() => {
    if (chosen) read(chosen)
  }, [chosen?.id])
  const unread = (of: NoticeTab) =>
    (notices ?? []).filter((each) => each.read_at === null && isIn(each, of, seen)).length || undefined
  const tabs = [
    ...TABS.map((value) => ({
      value,
      label: words.tabs[value],
      count: value === 'new' ? newNotices.value || undefined : value === 'all' ? undefined : unread(value),
    })),
    ...(mayWrite() ? [{ value: 'changes' as const, label: shellTexts().places.changes }] : []),
  ]
  return (
    <>
      <Bar
        title={shellTexts().notices}
        actions={
          newNotices.value > 0 && (
            <Button icon="check" onClick={() => void list.readAll().then(() => setSeen(new Set()))}>
              {words.markRead}
            </Button>
          )
        }
      />
      <div class={chosen ? 'notices-page notices has-details' : 'notices-page notices'}>
        <section data-scroll="notices-page" aria-label={shellTexts().notices}>
          <div class="tab-line">
            <Tabs label={shellTexts().notices} panel={PANEL} value={tab} tabs={tabs} onChange={choose} />
          </div>
          <div id={PANEL} role="tabpanel" aria-labelledby={`${PANEL}-${tab}`} onKeyDown={rovingKeys('a.one', ARROWS)}>
            {isFailed && <p class="none late">{words.noticesFailed}</p>}
            {tab === 'changes' && <MyChanges />}
            {tab !== 'changes' && notices !== null && shown.length === 0 && (
              <Empty icon="bell" title={words.empty[tab]}>
                {words.noNoticesBody}
              </Empty>
            )}
            {daysOf(shown, format.value, now.value).map(({ day, of }) => (
              <section key={day} aria-label={day}>
                <h2>{day}</h2>
                <ul>
                  {of.map((notice) => (
                    <li key={notice.id}>
                      <NoticeRow
                        notice={notice}
                        href={isPeekWide.value ? `/notices?notice=${notice.id}` : placeOf(notice)}
                        isHere={notice.id === chosen?.id}
                        onOpen={(event) => {
                          if (!isPeekWide.peek()) return read(notice)
                          if (event.ctrlKey || event.metaKey || event.shiftKey) return
                          event.preventDefault()
                          void setQuery({ notice: notice.id }, { replace: true })
                        }}
                      />
                    </li>
                  ))}
                </ul>
              </section>
            ))}
            {tab !== 'changes' && hasMore && (
              <Button plain class="older" onClick={() => void list.more()}>
                {words.older}
              </Button>
            )}
          </div>
        </section>
        {chosen && <Details key={chosen.id} notice={chosen} />}
      </div>
    </>
  )
}

const ARROWS = { axis: 'vertical', ends: true, also: 'click' } as const
