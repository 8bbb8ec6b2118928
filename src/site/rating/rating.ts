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

/** Mail programs find links in plain text, and put the sign behind one into it. */
const PLACE = /^([\w-]{64})\/(good|not-good)(?![\w-])/
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
type Found = Asked & { org: number; message: string; answer: Answer }

const comment = f.line(MAX_COMMENT)

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
    return asked && { ...asked, org: known.org, message: known.id, answer: chosen === 'good' ? 'good' : 'not_good' }
  }

  async function answer(ctx: Context, language: Language): Promise<void> {
    const { method, path, req } = ctx
    if (!METHODS.includes(method)) {
      const Allow = METHODS.join(', ')
      throw new Problem(405, 'method_not_allowed', `This path supports ${Allow}.`, { headers: { Allow } })
    }
    const found = find(path)
    if (!found) return show(ctx, 404, sentence(language, 'broken'))
    if (found.isOver) return show(ctx, 410, sentence(language, 'over'))
    // Their own links stand in the quotes of answers: whoever presses one by mistake is no customer.
    if (memberOf(req) === found.org) return show(ctx, 403, sentence(language, 'member'))
    if (method !== 'POST') return show(ctx, 200, questionPage(language, found))
    const given = await readComment(ctx)
    const text = given.replace(/\r\n?/g, '\n').trim()
    const checked = v.safeParse(comment, text)
    if (!checked.success) return show(ctx, 422, questionPage(language, found, text))
    const isStored = await store.write(() => {
      gate(found.org) // it may have left while this waited
      return ratings.answer(found.org, found.message, { answer: found.answer, comment: checked.output || null })
    })
    show(ctx, isStored ? 200 : 410, isStored ? donePage(language, found) : sentence(language, 'over'))
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
    const language = languageOf(ctx)
    try {
      await answer(ctx, language)
    } catch (error) {
      if (error instanceof Moved) return answerMoved(ctx, error)
      // Client errors are for programs, since the button always sends a valid form.
      if (error instanceof Problem && error.status < 500 && error.code !== 'secret_unreadable') throw error
      if (!store.health.note(error)) log.error({ err: error }, 'taking a rating failed')
      ctx.set('Retry-After', '60')
      show(ctx, 503, sentence(language, 'failed'))
    }
  }
}

/** Without regions: "de-AT" is German. */
const languageOf = (ctx: Context): Language =>
  preferredName(ctx.get('Accept-Language').replace(/-\w+/g, ''), LANGUAGES) ?? 'en'

function show(ctx: Context, status: number, page: string): void {
  ctx.status = status
  ctx.body = page
}

/** The words of the mail may be in another language than the page. */
const said = ({ words }: Asked, text: string): Content =>
  html`<strong lang="${words.language}" dir="auto">${text}</strong>`

/** `typed` is a comment that was too long. */
function questionPage(language: Language, found: Found, typed?: string): string {
  const texts = TEXTS[language]
  const { words, answer, org_name } = found
  const other = answer === 'good' ? 'not_good' : 'good'
  return page(
    language,
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
<p class="soft"><a href="${hrefOf(other)}">${texts.other(words[other])}</a></p>`,
    words.language,
  )
}

function donePage(language: Language, found: Found): string {
  const texts = TEXTS[language]
  const { words, answer } = found
  const other = answer === 'good' ? 'not_good' : 'good'
  const [before, after] = texts.stored('\n').split('\n')
  return page(
    language,
    texts.thanks,
    html`<p>${before}${said(found, words[answer])}${after}</p>
<p class="soft">${texts.change} <a href="${hrefOf(other)}">${texts.other(words[other])}</a></p>`,
  )
}

function sentence(language: Language, name: 'over' | 'broken' | 'member' | 'failed'): string {
  const texts = TEXTS[language]
  return page(language, texts[name], html`<p>${texts[`${name}Body`]}</p>`)
}

const hrefOf = (answer: Answer): string => answer.replace('_', '-')

const page = (language: Language, title: string, content: Content, titleLanguage = language): string =>
  mailPage({ title, content, language, titleLanguage, style: '../style.css' })
