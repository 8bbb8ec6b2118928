import { initials } from '../lib/names.ts'
import { tintOf } from './tint.ts'
import './avatar.css'

type AvatarProps = {
  /** Members are tinted, contacts outlined, companies square; nobody is a dashed ring. */
  kind: 'member' | 'contact' | 'company' | 'nobody'
  /** Of the member: their tint is the same everywhere. */
  id?: string | undefined
  name?: string | undefined
  /** 16 in text, 20 in rows, 24 in timelines, 40 in heads. */
  size?: 16 | 20 | 24 | 32 | 40 | undefined
  /** Where the name does not stand beside it: read out, and shown on hover. */
  alone?: boolean | undefined
}

const SHAPES = { member: '', contact: ' out', company: ' firm', nobody: ' none' }

export function Avatar({ kind, id = '', name = '', size = 20, alone }: AvatarProps) {
  const tint = kind === 'member' ? ` m${tintOf(id)}` : ''
  const names = `av${SHAPES[kind]}${tint} x${size}`
  const letters = kind === 'nobody' ? '' : initials(name)
  if (!alone) {
    return (
      <span class={names} aria-hidden="true" title={name || undefined}>
        {letters}
      </span>
    )
  }
  return (
    <span class={names} role="img" aria-label={name} title={name}>
      {letters}
    </span>
  )
}
