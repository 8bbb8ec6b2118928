import { Button } from '../../components/button.tsx'
import { base } from '../../lib/base.ts'
import { catalogue } from '../../lib/texts/texts.ts'
import { en } from './dead-en.ts'
import { Frame } from './frame.tsx'

const texts = catalogue({ en, de: () => import('./dead-de.ts').then(({ de }) => de) })

export type DeadReason = 'link_used' | 'link_expired' | 'link_withdrawn' | 'unknown_link'

/** What to do with a link that leads nowhere any more, once its words are here: few links are such. */
export async function deadPage() {
  await texts.ready().catch(() => undefined) // English then
  return DeadPage
}

function DeadPage({ why }: { why: DeadReason }) {
  const [title, body] = {
    link_used: [texts().used, texts().usedBody],
    link_expired: [texts().expired, texts().expiredBody],
    link_withdrawn: [texts().withdrawn, texts().withdrawnBody],
    unknown_link: [texts().unknown, texts().unknownBody],
  }[why]
  const kind =
    { '/setup': 'setup', '/join': 'invite' }[location.pathname.slice(base.length).replace(/\/$/, '')] ?? 'sign_in'
  return (
    <Frame>
      <div class="narrow">
        <h1>{title}</h1>
        <p class="sub">{body}</p>
        <p class="sub">{texts().another[kind as 'setup' | 'invite' | 'sign_in']}</p>
        <Button onClick={() => location.assign(`${base}/`)}>{texts().toSignIn}</Button>
      </div>
    </Frame>
  )
}
