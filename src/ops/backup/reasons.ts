/** Who made a backup: the server at night, a person, or a program that was about to migrate the database. */
export const REASONS = ['nightly', 'command', 'migration'] as const
export type Reason = (typeof REASONS)[number]
