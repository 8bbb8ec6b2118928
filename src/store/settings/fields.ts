import * as v from 'valibot'
import { oneOf } from '../../lib/fields.ts'

/** The key of an item in the settings document, which identifies it and never changes. */
export const key = v.pipe(
  v.string(),
  v.regex(
    /^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$/,
    'invalid_key|must be 1 to 63 letters, digits, "_", "-" or ".", and start with a letter or digit',
  ),
)

export const outcome = oneOf(['won', 'lost'])
export type Outcome = v.InferOutput<typeof outcome>
