import { useRef } from 'preact/hooks'
import { useFitting } from './fitting.ts'
import './tag.css'

export type TagLook = { name: string; color?: string | null | undefined }

/** A square in the tag's own colour, then its name in ink. */
export function Tag({ name, color, ...rest }: TagLook & { 'data-fit'?: boolean; hidden?: boolean }) {
  return (
    <span class="tag" style={color ? { '--c': color } : undefined} {...rest}>
      <span class="cut" dir="auto">
        {name}
      </span>
    </span>
  )
}

/** Tags where there is room for all of them. */
export const Tags = ({ tags }: { tags: readonly TagLook[] }) => (
  <span class="tags">
    {tags.map(({ name, color }) => (
      <Tag key={name} name={name} color={color} />
    ))}
  </span>
)

/** Tags in one line: no name is cut but that of the first one, and those that have no room become "+2". */
export function TagsInLine({ tags }: { tags: readonly TagLook[] }) {
  const ref = useRef<HTMLSpanElement>(null)
  const fitting = Math.max(1, useFitting(ref, tags.map(({ name }) => name).join('\n')))
  const rest = tags.slice(fitting)
  return (
    <span ref={ref} class="tags in-line">
      {tags.map(({ name, color }, index) => (
        <Tag key={name} name={name} color={color ?? null} data-fit hidden={index >= fitting} />
      ))}
      <span class="small mute" data-more="" hidden={rest.length === 0} title={rest.map(({ name }) => name).join(', ')}>
        +{rest.length}
      </span>
    </span>
  )
}
