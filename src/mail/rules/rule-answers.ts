import { type Deps, once } from '../../deps.ts'

/** Which messages rules have answered with by themselves. */
export const ruleAnswers = once(({ db }: Deps) => {
  const ofRule = db.prepare('SELECT 1 FROM rule_runs WHERE org_id = ? AND answer_id = ?').pluck()
  return { isAnswer: (org: number, message: string): boolean => ofRule.get(org, message) !== undefined }
})
