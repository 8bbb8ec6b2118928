import { parseText } from '../http/body/body.ts'
import type { UploadedFile } from '../http/body/form-parts.ts'
import type { CaptionFile } from '../lib/captions/captions.ts'
import { decodeCaptions } from '../lib/captions/decode.ts'
import { readSrt } from '../lib/captions/subrip.ts'
import { readVtt } from '../lib/captions/webvtt.ts'
import type { Json } from '../lib/json.ts'
import { field, invalid, Problem } from '../lib/problem.ts'
import { MAX_SEGMENTS } from './segments.ts'

// Transcripts that are sent as caption files: as the body, or in a form.

export const VTT = 'text/vtt'
export const SRT = 'application/x-subrip'

/** What was mended in the bodies that were read from a file: only their speakers are matched by name. */
const fromFiles = new WeakMap<object, string[]>()

/** Undefined if the body was not read from a file. */
export const mendedIn = (body: unknown): string[] | undefined => fromFiles.get(body as object)

const reader =
  (read: (file: string, most: number) => CaptionFile) =>
  (file: string): Pick<CaptionFile, 'segments'> => {
    // A file may contain a hundred times as many, which takes seconds to read; one more is enough for a refusal.
    const { segments, mended } = (/^\uFEFF?WEBVTT/.test(file) ? readVtt : read)(file, MAX_SEGMENTS)
    const body = { segments }
    fromFiles.set(body, mended)
    return body
  }

/** The media types of a body besides JSON, and what reads each of them. */
export const CAPTION_FILES = { [VTT]: reader(readVtt), [SRT]: reader(readSrt) }

const TYPE_BY_ENDING: Record<string, keyof typeof CAPTION_FILES> = { vtt: VTT, srt: SRT }

/** Returns the body of a form: its JSON part, with the segments of its file, if any. Throws 400, 415 and 422. */
export function fromForm(given: Json | undefined, [file]: readonly UploadedFile[]): unknown {
  if (!file) return given ?? {}
  const ending = file.name.toLowerCase().split('.').at(-1) as string
  const read = CAPTION_FILES[(TYPE_BY_ENDING[ending] ?? file.content_type) as keyof typeof CAPTION_FILES]
  if (!read) throw new Problem(415, 'unsupported_media_type', NO_CAPTIONS)
  for (const name of ['segments', 'speakers'])
    if (Object.hasOwn((given ?? {}) as object, name))
      throw invalid(field(`/${name}`, 'in_file', 'must be omitted: the file has it'))
  return Object.assign(read(parseText(file.slice(0, file.size_bytes), decodeCaptions)), given)
}

const NO_CAPTIONS = `The file must be WebVTT or SubRip: its name ends with .vtt or .srt, or its type is ${VTT} or ${SRT}.`

export const ABOUT_FILES =
  'A body of the type `text/vtt` or `application/x-subrip` is read as a caption file. Each voice becomes a speaker, as does a name before a text, as in "Ana Ruiz: Hello", if a participant of the meeting has that name; other names remain part of the text. A speaker with the name of a participant, or of the owner, gets their `contact_id` or `member_id`, unless two of them have that name. What programs write wrongly is read where it can only mean one thing, and `mended` lists it: a comma instead of a point, missing or additional empty lines, a cue that ends before it starts. A file without any text that has a time is 400 `malformed_captions`, with the line. A file is in UTF-8, in UTF-16 with a byte order mark, or in the `charset` of the Content-Type. A form (`multipart/form-data`) has such a file, and optionally a part `transcript` of JSON with the `language` and the `source`.'
