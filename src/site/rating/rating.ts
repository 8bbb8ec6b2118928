import type { IncomingMessage } from 'node:http'
import type { Context } from 'koa'
import * as v from 'valibot'
import { mailLinks } from '../../auth/mail-links.ts'
import type { Deps } from '../../deps.ts'
import type { Bodies } from '../../http/body/bodies.ts'
import { preferredName } from '../../http/negotiate.ts'
import * as f from '../../lib/fields.ts'
import type { Log } from '../../lib/log.ts'
import { Problem } from '../../lib/problem.ts'
import { type Asked, ratingStore } from '../../mail/satisfaction/ratings.ts'
import { type Answer, LANGUAGES, type Language } from '../../mail/satisfaction/words.ts'
import type { Store } from '../../store/open.ts'
import { Moved, orgGate } from '../../store/orgs/org-states.ts'
import { type Content, html } from '../html.ts'
import { METHODS, mailPage, PAGE_HEADERS } from '../mail-page.ts'
import { answerMoved } from '../page/moved.ts'
import { TEXTS } from './texts.ts'

/** Everything that the pages need is below this path. */
export const RATING = '/rating/'

/** Mail programs find links in plain text, and put the sign behind one into it; but the answer is the last part of the path. */
const PLACE = /^([\w-]{64})\/(good|not-good)(?:[^\w/-][^/]*)?$/
/** A thousand signs of four bytes, each percent-encoded, and the rest of the form. */
const MAX_BODY_BYTES = 16_384
const MAX_COMMENT = 1000
const FORM = 'application/x-www-form-urlencoded'

type Options = {
  store: Pick<Store, 'write' | 'health' | 'db'>
  deps: Deps
  log: Log
  bodies: Bodies
  /** The organisation of the member who is signed in, if any. */
  memberOf: (req: IncomingMessage) => number | undefined
}
type Found = Asked & { org: number; message: string; answer: Answer; token: string }
/** The language of the page, and what leads from its path to the one that everything is below. */
type View = { language: Language; root: string }

const comment = v.pipe(
  f.longText(4 * MAX_COMMENT),
  v.check((text) => [...text].length <= MAX_COMMENT),
)

/**
 * The page behind the two links in a mail that closes. Mail scanners follow every link, so opening it stores nothing; a press
 * on its button, which posts the form, does. The link is the only credential.
 */
export function ratingPage({ store, deps, log, bodies, memberOf }: Options): (ctx: Context) => Promise<void> {
  const links = mailLinks(deps)
  const ratings = ratingStore(deps)
  const gate = orgGate(store.db)

  /** Throws Problem 421 if the organisation has moved. */
  function find(path: string): Found | undefined {
    const [, token = '', chosen] = PLACE.exec(path.slice(RATING.length)) ?? []
    const known = links.read('rating', token)
    if (!known) return undefined
    gate(known.org)
    const asked = ratings.about(known.org, known.id)
    const answer = chosen === 'good' ? 'good' : 'not_good'
    return asked && { ...asked, org: known.org, message: known.id, answer, token }
  }

  async function answer(ctx: Context, view: View): Promise<void> {
    const { method, path, req } = ctx
    if (!METHODS.includes(method)) {
      const Allow = METHODS.join(', ')
      throw new Problem(405, 'method_not_allowed', `This path supports ${Allow}.`, { headers: { Allow } })
    }
    const found = find(path)
    if (!found) return show(ctx, 404, sentence(view, 'broken'))
    if (found.isOver) return show(ctx, 410, sentence(view, 'over'))
    // Their own links stand in the quotes of answers: whoever presses one by mistake is no customer.
    if (memberOf(req) === found.org) return show(ctx, 403, sentence(view, 'member'))
    if (method !== 'POST') return show(ctx, 200, questionPage(view, found))
    const given = await readComment(ctx)
    const text = storable(given.replace(/\r\n?/g, '\n')).trim()
    const checked = v.safeParse(comment, text)
    if (!checked.success) return show(ctx, 422, questionPage(view, found, text))
    const isStored = await store.write(() => {
      gate(found.org) // it may have left while this waited
      return ratings.answer(found.org, found.message, { answer: found.answer, comment: checked.output || null })
    })
    show(ctx, isStored ? 200 : 410, isStored ? donePage(view, found) : sentence(view, 'over'))
  }

  /** Other forms than that of the page have no comment. */
  async function readComment({ req, res }: Context): Promise<string> {
    const body = await bodies.read(req, res, MAX_BODY_BYTES)
    try {
      const isForm = (req.headers['content-type'] ?? '').toLowerCase().startsWith(FORM)
      return isForm ? (new URLSearchParams(body.bytes.toString()).get('comment') ?? '') : ''
    } finally {
      bodies.release(body)
    }
  }

  return async (ctx) => {
    ctx.set({ ...PAGE_HEADERS, Vary: 'Accept-Language, Cookie' })
    const view = { language: languageOf(ctx), root: rootOf(ctx.path) }
    try {
      await answer(ctx, view)
    } catch (error) {
      if (error instanceof Moved) return answerMoved(ctx, error)
      // Client errors are for programs, since the button always sends a valid form.
      if (error instanceof Problem && error.status < 500 && error.code !== 'secret_unreadable') throw error
      if (!store.health.note(error)) log.error({ err: error }, 'taking a rating failed')
      ctx.set('Retry-After', '60')
      show(ctx, 503, sentence(view, 'failed'))
    }
  }
}

/** Without regions: "de-AT" is German. */
const languageOf = (ctx: Context): Language =>
  preferredName(ctx.get('Accept-Language').replace(/-\w+/g, ''), LANGUAGES) ?? 'en'

/** From a path to RATING. Links are relative, as a proxy may serve this below any path, and stray slashes are below it, too. */
const rootOf = (path: string): string => '../'.repeat(path.slice(RATING.length).split('/').length - 1)

/** What no text is stored with: nobody has typed it, and whoever wrote the rest cannot see what is wrong. */
const storable = (text: string): string => text.replaceAll('\0', '').replace(/(\p{M}{30})\p{M}+/gu, '$1')

function show(ctx: Context, status: number, page: string): void {
  ctx.status = status
  ctx.body = page
}

/** The words of the mail may be in another language than the page. */
const said = ({ words }: Asked, text: string): Content =>
  html`<strong lang="${words.language}" dir="auto">${text}</strong>`

/** `typed` is a comment that was too long. */
function questionPage(view: View, found: Found, typed?: string): string {
  const texts = TEXTS[view.language]
  const { words, answer, org_name } = found
  const other = answer === 'good' ? 'not_good' : 'good'
  return page(
    view,
    words.question,
    html`<p class="soft">${texts.lead(org_name)}</p>
<p>${texts.chosen} ${said(found, words[answer])}</p>
<form method="post">
<label for="comment">${texts.comment}</label>
<textarea id="comment" name="comment" rows="4" maxlength="${MAX_COMMENT}" dir="auto"${typed !== undefined && html` aria-invalid="true" aria-describedby="wrong"`}>
${typed ?? ''}</textarea>
${typed !== undefined && html`<p id="wrong">${texts.tooLong}</p>`}
<button>${texts.send}</button>
</form>
<p class="soft"><a href="${hrefOf(view, found, other)}">${texts.other(words[other])}</a></p>`,
    words.language,
  )
}

function donePage(view: View, found: Found): string {
  const texts = TEXTS[view.language]
  const { words, answer } = found
  const other = answer === 'good' ? 'not_good' : 'good'
  const [before, after] = texts.stored('\n').split('\n')
  return page(
    view,
    texts.thanks,
    html`<p>${before}${said(found, words[answer])}${after}</p>
<p class="soft">${texts.change} <a href="${hrefOf(view, found, other)}">${texts.other(words[other])}</a></p>`,
  )
}

function sentence(view: View, name: 'over' | 'broken' | 'member' | 'failed'): string {
  const texts = TEXTS[view.language]
  return page(view, texts[name], html`<p>${texts[`${name}Body`]}</p>`)
}

const hrefOf = ({ root }: View, { token }: Found, answer: Answer): string =>
  `${root}${token}/${answer.replace('_', '-')}`

const page = ({ language, root }: View, title: string, content: Content, titleLanguage = language): string =>
  mailPage({ title, content, language, titleLanguage, style: `${root}style.css` })
