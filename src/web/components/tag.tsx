import './tag.css'

/** A square in the tag's own colour, then its name in ink. */
export function Tag({ name, color }: { name: string; color?: string | null | undefined }) {
  return (
    <span class="tag" style={color ? { '--c': color } : undefined}>
      <span class="cut">{name}</span>
    </span>
  )
}

/** Tags in a row: those beyond `most` become "+2". */
export function Tags({ tags, most = 3 }: { tags: { name: string; color?: string | null }[]; most?: number }) {
  const rest = tags.slice(most)
  return (
    <span class="tags">
      {tags.slice(0, most).map(({ name, color }) => (
        <Tag key={name} name={name} color={color} />
      ))}
      {rest.length > 0 && (
        <span class="small mute" title={rest.map(({ name }) => name).join(', ')}>
          +{rest.length}
        </span>
      )}
    </span>
  )
}
