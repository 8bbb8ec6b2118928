/** On whose behalf something happens: the org that every statement is bound to, and the member, or null for jobs. */
export type Caller = { org: number; member: string | null }
