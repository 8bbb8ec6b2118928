import type { Deps } from '../../deps.ts'
import type { Need, Route } from '../../http/route.ts'
import { dryRuns } from '../../mail/rules/dry-run.ts'
import { ruleSettings } from '../../mail/rules/settings.ts'

/** The rules as the settings have them, and what each would have done with the last mails. */
export const ruleRoutes = (deps: Deps): Route<Need>[] => {
  const { dryRun } = dryRuns(deps)
  const { show } = ruleSettings(deps)
  return [
    {
      kind: 'data',
      method: 'get',
      path: '/rules',
      role: 'viewer',
      name: 'rules',
      summary: 'Get the rules for mails that come in, and try them with the last 100 of them',
      description:
        'Nothing is changed by it. `hits` are the mails that a rule fits, newest first, and `silence` is why it would not have answered one. Lists and empty return paths are known only while a mail comes in.',
      read: (who) => {
        const items = show(who.org)
        const { looked, rules } = dryRun(who.org)
        const data = rules.map(({ hits }, index) => ({ ...items[index], hits }))
        return { json: JSON.stringify({ looked, data }) }
      },
    },
  ]
}
