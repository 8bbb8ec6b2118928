import { Icon } from '../../components/icon.tsx'
import { Marked } from '../../components/marked.tsx'
import type { Message } from '../../data/types.ts'
import { base } from '../../lib/base.ts'
import { sizeText } from '../../lib/sizes.ts'
import { texts } from './texts.ts'

/** What the browser shows by itself: see src/site/app/shown-file.ts. */
const SHOWN = /^(?:image\/(?:png|jpe?g|gif|webp)|application\/pdf)$/i

/** The address of a picture that stands in the text of a note, by its name. */
export function pictureOf({ id, attachments }: Message, name: string): string | undefined {
  const file = attachments.find((each) => each.name === name && /^image\//.test(each.content_type))
  return file && `${base}/app/shown-file?message=${id}&file=${file.id}`
}

/** Every file of the mail, also those that are pictures in its text. Pictures and PDFs are shown, any other is saved. */
export function Files({ message: { id, attachments } }: { message: Message }) {
  if (attachments.length === 0) return null
  return (
    <ul class="files">
      {attachments.map(({ id: file, name, content_type, size_bytes }) => {
        const saved = `${base}/api/v1/messages/${id}/attachments/${file}`
        const isShown = SHOWN.test(content_type)
        const opens = isShown
          ? { href: `${base}/app/shown-file?message=${id}&file=${file}`, target: '_blank', rel: 'noopener' }
          : { href: saved, download: name }
        return (
          <li key={file} class="file">
            <a {...opens} class="row cut" data-native title={isShown ? texts().showFile(name) : undefined}>
              <Icon name={isShown ? 'eye' : 'clip'} small />
              <span class="cut" dir="auto">
                <Marked text={name} />
                <small class="mute">{sizeText(size_bytes)}</small>
              </span>
            </a>
            {isShown && (
              <a
                class="btn plain icon"
                href={saved}
                download={name}
                data-native
                title={texts().saveFile(name)}
                aria-label={texts().saveFile(name)}
              >
                <Icon name="save" small />
              </a>
            )}
          </li>
        )
      })}
    </ul>
  )
}
