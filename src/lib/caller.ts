/** On whose behalf something happens: the org that every statement is bound to, and the member, or null for jobs. */
export type Caller = {
  org: number
  member: string | null
  /** What the token of a request allows; jobs and commands have none, and are not limited. */
  scopes?: ReadonlySet<string>
}
