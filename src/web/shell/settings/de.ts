import type { Like } from '../../lib/texts/like.ts'
import type { en } from './en.ts'

export const de: Like<typeof en> = { you: 'Du', organisation: 'Organisation', mail: 'Mail und SLA', machine: 'Server' }
