/** Who acts: the organisation that every statement is bound to, and the member, or null for jobs. */
export type Caller = {
  org: number
  member: string | null
  /** The scopes of the request's token; jobs and commands have none, and are not limited. */
  scopes?: ReadonlySet<string>
}
