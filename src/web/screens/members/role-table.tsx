import { Icon } from '../../components/icon.tsx'
import { t } from '../../lib/texts/texts.ts'
import { words } from '../../lib/texts/words/texts.ts'
import { ROLES } from './actions.ts'
import { texts } from './texts.ts'

/** What a role may do: the first roles of the list may, the others not. */
const MAY = [
  ['read', 4],
  ['write', 3],
  ['settings', 2],
  ['members', 2],
  ['owners', 1],
] as const

/** For once, not for each day: folded until somebody wants to know. */
export function RoleTable() {
  return (
    <details class="fold">
      <summary>
        <Icon name="down" small />
        {texts().mayTitle}
      </summary>
      <table class="grid rg">
        <thead>
          <tr>
            <td />
            {ROLES.map((role) => (
              <th key={role} scope="col">
                {words().roles[role]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {MAY.map(([what, roles]) => (
            <tr key={what}>
              <th scope="row" class="dim">
                {texts().may[what]}
              </th>
              {ROLES.map((role, index) => (
                <td key={role}>
                  {index < roles ? (
                    <Icon name="check" small class="acc" title={t().yes} />
                  ) : (
                    <span class="mute">
                      <span aria-hidden="true">—</span>
                      <span class="sr">{t().no}</span>
                    </span>
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  )
}
