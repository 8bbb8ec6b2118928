import type { Scope } from '../../../auth/scopes.ts'
import { boot, me } from '../../data/boot.ts'
import { client } from '../../data/current.ts'
import { hasRole } from '../../data/may.ts'
import { Form } from '../../shell/pages/form.tsx'
import { texts } from './texts.ts'

/** What making a token answers: the token is shown this once. */
export type NewToken = { id: string; token: string; scopes: Scope[]; expires_at: string | null }

type Values = { member_id: string; scopes: Scope[]; lasts: string; password?: string }

const DAYS = [30, 90, 365]

type TokenFormProps = { scopes: readonly Scope[]; onMade: (token: NewToken) => void; onClose: () => void }

export function TokenForm({ scopes, onMade, onClose }: TokenFormProps) {
  const members = boot.value.members.filter(({ role, status }) => status === 'active' && hasRole(role))
  return (
    <Form<Values>
      name="token"
      title={texts().create}
      initial={{ member_id: me.value.id, scopes: [], lasts: '90' }}
      entries={[
        {
          key: 'member_id',
          label: texts().member,
          type: 'select',
          is_required: true,
          options: members.map(({ id, name }) => ({ value: id, label: name })),
          help_text: texts().memberHelp,
        },
        {
          key: 'scopes',
          label: texts().scopes,
          type: 'multi_select',
          as: 'checks',
          is_required: true,
          options: scopes.map((value) => ({
            value,
            label: value.replace(/^rest\./, ''),
            column: value.endsWith('.read') ? 1 : 2,
          })),
          presets: [
            { label: texts().allScopes, values: scopes },
            { label: texts().readOnly, values: scopes.filter((scope) => scope.endsWith('.read')) },
          ],
          help_text: texts().scopesHelp,
        },
        {
          key: 'lasts',
          label: texts().lasts,
          type: 'select',
          as: 'buttons',
          is_required: true,
          options: [
            ...DAYS.map((days) => ({ value: String(days), label: texts().days(days) })),
            { value: 'ever', label: texts().forEver },
          ],
        },
        ...(me.value.has_password
          ? [
              {
                key: 'password',
                label: texts().password,
                type: 'text' as const,
                isSecret: true,
                is_required: true,
                help_text: texts().passwordHelp,
              },
            ]
          : []),
      ]}
      verb={texts().make}
      working={texts().making}
      send={async ({ lasts, ...given }) => {
        const body = { ...given, days: lasts === 'ever' ? null : Number(lasts) }
        onMade((await client().api.request<NewToken>('POST', '/app/tokens', { body })).body)
      }}
      onClose={onClose}
    />
  )
}
