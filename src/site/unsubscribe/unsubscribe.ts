import type { Context } from 'koa'
import type { Deps } from '../../deps.ts'
import type { Bodies } from '../../http/body/bodies.ts'
import type { Log } from '../../lib/log.ts'
import { Problem } from '../../lib/problem.ts'
import { unsubscribing } from '../../sequences/enrollments/unsubscribe.ts'
import type { Store } from '../../store/open.ts'
import { Moved } from '../../store/orgs/org-states.ts'
import { type Content, html } from '../html.ts'
import { METHODS, mailPage, PAGE_HEADERS } from '../mail-page.ts'
import { handOn, MARK } from './moved.ts'

/** Everything that the pages need is below this path. */
export const UNSUBSCRIBE = '/unsubscribe/'

const HEADERS = { ...MARK, ...PAGE_HEADERS }
/** Mail programs and gateways find links in plain text, and put the sign behind one into it. */
const TOKEN = /^[\w-]{64}(?![\w-])/
const MAX_BODY_BYTES = 8192

type Options = { store: Pick<Store, 'write' | 'health'>; deps: Deps; log: Log; bodies: Bodies }
type Shown = { org_name: string | null; email: string | null }

/** Of an organisation that has moved: the names are at its new server. */
const UNKNOWN: Shown = { org_name: null, email: null }

/**
 * The page behind the link in sequence mails. Mail scanners follow every link, so a GET shows a button and changes
 * nothing; a POST, by the button or by a mail program (RFC 8058), unsubscribes. The link is the only credential. The body
 * does not matter: many programs send none, or another type, and who posts to the link wants no more mails.
 */
export function unsubscribePage({ store, deps, log, bodies }: Options): (ctx: Context) => Promise<void> {
  const { about, unsubscribe } = unsubscribing(deps)
  const unsubscribeThere = handOn(log)

  async function answer(ctx: Context): Promise<void> {
    const { method, path } = ctx
    if (!METHODS.includes(method)) {
      const Allow = METHODS.join(', ')
      throw new Problem(405, 'method_not_allowed', `This path supports ${Allow}.`, { headers: { Allow } })
    }
    const token = TOKEN.exec(path.slice(UNSUBSCRIBE.length))?.[0] ?? ''
    const details = aboutOrMoved(token)
    if (!details) return show(ctx, 404, brokenPage())
    if (method !== 'POST') return show(ctx, 200, questionPage(details instanceof Moved ? UNKNOWN : details))
    bodies.release(await bodies.read(ctx.req, ctx.res, MAX_BODY_BYTES))
    const isDone = details instanceof Moved ? details : await store.write(() => unsubscribe(token)).catch(ifMoved)
    if (isDone instanceof Moved) return answerFromThere(ctx, isDone) // perhaps only while this write waited
    show(ctx, isDone ? 200 : 404, isDone ? donePage(details as Shown) : brokenPage())
  }

  function aboutOrMoved(token: string): Shown | Moved | undefined {
    try {
      return about(token)
    } catch (error) {
      return ifMoved(error)
    }
  }

  async function answerFromThere(ctx: Context, moved: Moved): Promise<void> {
    const status = await unsubscribeThere(ctx, moved)
    if (status !== undefined) return show(ctx, status, status === 200 ? donePage(UNKNOWN) : brokenPage())
    ctx.set('Retry-After', '60')
    show(ctx, 503, failedPage())
  }

  return async (ctx) => {
    ctx.set(HEADERS)
    try {
      await answer(ctx)
    } catch (error) {
      // Client errors are for programs, since the button always sends a valid form.
      if (error instanceof Problem && error.status < 500 && error.code !== 'secret_unreadable') throw error
      if (!store.health.note(error)) log.error({ err: error }, 'unsubscribing failed')
      ctx.set('Retry-After', '60') // mail programs retry
      show(ctx, 503, failedPage())
    }
  }
}

/** Returns the error if it says where the organisation has moved, and throws any other. */
function ifMoved(error: unknown): Moved {
  if (error instanceof Moved) return error
  throw error
}

function show(ctx: Context, status: number, page: string): void {
  ctx.status = status
  ctx.body = page
}

/** The first character identifies the address to its owner, but not to others. */
function masked(email: string): string {
  const [first = ''] = email
  return `${first}•••${email.slice(email.lastIndexOf('@'))}`
}

const questionPage = (shown: Shown) =>
  page(
    'Unsubscribe',
    html`<p>Stop receiving mailings${from(shown)}?</p>
<form method="post"><input type="hidden" name="List-Unsubscribe" value="One-Click"><button>Unsubscribe</button></form>
${STILL}`,
  )

const donePage = (shown: Shown) =>
  page(
    'You are unsubscribed',
    html`<p>You will not receive any more mailings${from(shown)}. You can close this page.</p>
${STILL}`,
  )

const brokenPage = () =>
  page(
    'This link does not work',
    html`<p>The link is incomplete or was changed. Open it from the email again. If it is on two lines there, copy both of them.</p>
<p>Or reply to that email and ask to be unsubscribed.</p>`,
  )

const failedPage = () =>
  page(
    'Something went wrong',
    html`<p>You are still subscribed, and this is not your fault. Open the link from the email again in a few minutes.</p>
<p>Or reply to that email and ask to be unsubscribed.</p>`,
  )

const STILL = html`<p class="soft">You will still receive replies to messages that you send.</p>`

const from = ({ org_name, email }: Shown): Content => [
  org_name === null ? ' from the sender of that email' : html` from <strong>${org_name}</strong>`,
  email !== null && ` at ${masked(email)}`,
]

const page = (title: string, content: Content): string => mailPage({ title, content })
