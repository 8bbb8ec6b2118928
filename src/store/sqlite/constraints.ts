/** Whether a statement failed because another row has the same values in a unique index. */
export const isUniqueViolation = (error: unknown): boolean => codeOf(error) === 'SQLITE_CONSTRAINT_UNIQUE'

/** Whether it failed because the row refers to a missing one. */
export const isForeignKeyViolation = (error: unknown): boolean => codeOf(error) === 'SQLITE_CONSTRAINT_FOREIGNKEY'

/** Whether it failed because of any rule of the tables. */
export const isConstraintViolation = (error: unknown): boolean => /^SQLITE_CONSTRAINT/.test(String(codeOf(error)))

const codeOf = (error: unknown): unknown => (error as { code?: unknown } | null)?.code
