export type { Segment } from '../../../../meetings/segments.ts'
export type { Speaker } from '../../../../meetings/speakers.ts'
export type { Transcript } from '../../../../meetings/transcript.ts'
