import { Readable } from 'node:stream'
import { attachmentHeader } from '../../http/file.ts'
import { attachmentStore } from '../../inbox/messages/attachments.ts'
import { UUID } from '../../lib/id.ts'
import { notFound } from '../../lib/problem.ts'
import type { Handler } from '../handler.ts'
import type { ScreenParts } from '../parts.ts'

/** What browsers show and cannot run: no SVG, which is a page. */
const PICTURE = /^image\/(?:png|jpe?g|gif|webp)$/i
const DOCUMENT = /^application\/pdf$/i

/**
 * A picture or a PDF of a message, shown by the browser instead of saved: /app/shown-file?message=ID&file=ID. Any other file is
 * not found here. It is taken for what it says it is and for nothing else (nosniff); the viewer of a PDF is that of the browser,
 * which does not work in a sandbox.
 */
export const shownFileHandlers = ({ deps }: Pick<ScreenParts, 'deps'>): Handler[] => {
  const { file: find } = attachmentStore(deps)
  return [
    {
      method: 'GET',
      path: '/app/shown-file',
      role: 'viewer',
      answer: (ctx, { who }) => {
        const [message, file] = [String(ctx.query.message ?? ''), String(ctx.query.file ?? '')]
        if (!UUID.test(message) || !UUID.test(file)) throw notFound()
        const { name, content_type, size_bytes, read } = find(who, message, file)
        const isPicture = PICTURE.test(content_type)
        if (!isPicture && !DOCUMENT.test(content_type)) throw notFound()
        ctx.set({
          'Content-Type': content_type.toLowerCase(),
          'Content-Length': String(size_bytes),
          'Content-Disposition': attachmentHeader(name).replace(/^attachment/, 'inline'),
          'Content-Security-Policy': isPicture
            ? "default-src 'none'; sandbox"
            : "script-src 'none'; frame-ancestors 'none'",
        })
        ctx.body = Readable.from(read(0, size_bytes))
      },
    },
  ]
}
