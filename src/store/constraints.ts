/** Whether a statement was refused since another row has the same under a unique index. */
export const isUniqueViolation = (error: unknown): boolean => codeOf(error) === 'SQLITE_CONSTRAINT_UNIQUE'

/** Whether it was refused since a row would refer to one that is not there. */
export const isForeignKeyViolation = (error: unknown): boolean => codeOf(error) === 'SQLITE_CONSTRAINT_FOREIGNKEY'

const codeOf = (error: unknown): unknown => (error as { code?: unknown } | null)?.code
