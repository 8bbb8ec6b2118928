import { type ComponentChildren, createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { type Block, blocksOf } from '../../../lib/pure/markdown/blocks.ts'
import { type Node, nodesOf } from '../../../lib/pure/markdown/inline.ts'
import { Marked } from '../../components/marked.tsx'
import { memberName } from '../../data/boot.ts'
import { whole } from '../../lib/base.ts'

// Notes are Markdown that anybody may have written, imports and other programs too. What is read here becomes elements
// one by one, never HTML, so that nothing in a text is markup; what is not known stays as it was typed.

/** The address of the file with a name, of the message or the draft that a text is of. */
export const Pictures = createContext<(file: string) => string | undefined>(() => undefined)

function Picture({ file, children }: { file: string; children: ComponentChildren }) {
  const src = useContext(Pictures)(file)
  return src === undefined ? <>[{children}]</> : <img src={src} alt={file} />
}

/** Paragraphs, lists, quotes, headings, code, emphasis, links and mentions. */
export function Markdown({ text, isMail = false }: { text: string; isMail?: boolean }) {
  return <div class="markdown">{blocksOf(text, isMail).map(shown)}</div>
}

function shown(block: Block, key: number): ComponentChildren {
  if (block.is === 'code')
    return (
      <pre key={key}>
        <Marked text={block.lines.join('\n')} />
      </pre>
    )
  if (block.is === 'rule') return <hr key={key} />
  if (block.is === 'quote')
    return (
      <blockquote key={key} dir="auto">
        {block.blocks.map(shown)}
      </blockquote>
    )
  if (block.is === 'quoted')
    return (
      <blockquote key={key} dir="auto">
        {block.lines.map((line, index) => [
          index > 0 && <br key={index} />,
          <Marked key={`${index} said`} text={line} />,
        ])}
      </blockquote>
    )
  if (block.is === 'list') {
    const items = block.items.map((blocks, index) => (
      <li key={index} dir="auto">
        {blocks.map(shownInItem)}
      </li>
    ))
    if (block.first === undefined)
      return (
        <ul key={key} dir="auto">
          {items}
        </ul>
      )
    return (
      <ol key={key} dir="auto" start={block.first === 1 ? undefined : block.first}>
        {items}
      </ol>
    )
  }
  // The headings of the page are those of the record.
  return (
    <p key={key} dir="auto" class={block.is === 'heading' ? 'strong' : undefined}>
      {linesOf(block.lines)}
    </p>
  )
}

/** The first text of an item stands beside its mark. */
const shownInItem = (block: Block, key: number): ComponentChildren =>
  block.is === 'text' && key === 0 ? linesOf(block.lines) : shown(block, key)

/** Marks may go on over the end of a line, which stays one. */
const linesOf = (lines: readonly string[]): ComponentChildren[] =>
  nodesOf(lines.map((line) => line.trim()).join('\n')).map(inline)

function inline(node: Node, key: number): ComponentChildren {
  if (typeof node === 'string') {
    return node.split('\n').flatMap((line, index) => {
      const said = <Marked key={`${key} ${index} said`} text={line} />
      return index === 0 ? [said] : [<br key={`${key} ${index}`} />, said]
    })
  }
  if (node.is === 'code')
    return (
      <code key={key}>
        <Marked text={node.text} />
      </code>
    )
  const children = node.children.map(inline)
  if (node.is === 'mention') {
    return (
      <b key={key} class="mention">
        @{memberName(node.member) ?? children}
      </b>
    )
  }
  if (node.is === 'picture')
    return (
      <Picture key={key} file={node.file}>
        {children}
      </Picture>
    )
  if (node.is === 'link') {
    // What leads to a page of ours, such as a place in a meeting, opens here.
    const isOurs = node.href.startsWith(whole('/'))
    return (
      <a key={key} class="link" href={node.href} {...(isOurs ? {} : { target: '_blank', rel: 'noreferrer' })}>
        {children}
      </a>
    )
  }
  const Mark = ({ strong: 'b', weak: 'em', gone: 's' } as const)[node.is]
  return <Mark key={key}>{children}</Mark>
}
