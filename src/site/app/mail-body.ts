import { basePathOf } from '../../auth/client.ts'
import { mailDocument } from '../../inbox/messages/mail-document.ts'
import { columns } from '../../inbox/messages/message.ts'
import { messageStore } from '../../inbox/messages/messages.ts'
import { UUID } from '../../lib/id.ts'
import { notFound } from '../../lib/problem.ts'
import type { Handler } from '../handler.ts'
import type { ScreenParts } from '../parts.ts'

/**
 * The HTML of a mail for a frame of the inbox: /app/mail-body?message=ID, with &images=1 also the pictures that it takes from
 * elsewhere. It is sanitised when it is stored; here nothing in it can run, send, load or leave its frame once more. The frame
 * has our origin for one thing only: the page reads how high the mail is.
 */
export const mailBodyHandlers = ({ deps }: Pick<ScreenParts, 'deps'>): Handler[] => {
  const { find } = messageStore(deps)
  return [
    {
      method: 'GET',
      path: '/app/mail-body',
      role: 'viewer',
      answer: (ctx, { who }) => {
        const id = String(ctx.query.message ?? '')
        if (!UUID.test(id)) throw notFound()
        const message = columns.present(find(who, id))
        const isRemote = ctx.query.images === '1'
        const files = `${basePathOf(ctx.req)}/api/v1/messages/${id}/attachments/`
        const text = mailDocument(
          { ...message, body_html: message.body_html ?? '' },
          { urlOf: (file) => files + file, isRemote },
        )
        ctx.set({
          'Content-Type': 'text/html; charset=utf-8',
          'Content-Security-Policy': policy(ctx.host + files, isRemote),
          'X-Frame-Options': 'SAMEORIGIN',
        })
        ctx.body = text
      },
    },
  ]
}

/** `files` is where the files of this mail are, without a scheme: it is that of the page. */
const policy = (files: string, isRemote: boolean): string =>
  [
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    `img-src data: ${files}${isRemote ? ' http: https:' : ''}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
    'sandbox allow-same-origin allow-popups allow-popups-to-escape-sandbox',
  ].join('; ')
