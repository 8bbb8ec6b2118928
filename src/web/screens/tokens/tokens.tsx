import { useState } from 'preact/hooks'
import type { Scope } from '../../../auth/scopes.ts'
import type { TokenInfo } from '../../../auth/tokens.ts'
import { Button } from '../../components/button.tsx'
import { confirmFinal } from '../../components/confirm.tsx'
import { boot, me, memberName } from '../../data/boot.ts'
import { client } from '../../data/current.ts'
import { hasRole } from '../../data/may.ts'
import { format } from '../../lib/locale.ts'
import { now } from '../../lib/now.ts'
import { query, setQuery } from '../../lib/router.ts'
import { words } from '../../lib/texts/words/texts.ts'
import { useAsk } from '../../shell/pages/ask.ts'
import { attempt } from '../../shell/pages/attempt.ts'
import { LinkCard } from '../../shell/pages/link-card.tsx'
import { ListPage } from '../../shell/pages/list-page.tsx'
import { Panel, Part } from '../../shell/pages/panel.tsx'
import { texts as settingsTexts } from '../../shell/settings/texts.ts'
import { texts } from './texts.ts'
import './tokens.css'
import { type NewToken, TokenForm } from './token-form.tsx'

const SOON_MS = 14 * 86_400_000

/** What programs use the API with: in whose name, with which scopes, until when. */
export default function TokensScreen() {
  const [made, setMade] = useState<NewToken | null>(null)
  const asked = useAsk<{ data: TokenInfo[]; scopes: Scope[] }>('/app/tokens/list', ['tokens', 'members'])
  const tokens = asked.value?.data
  const known = asked.value?.scopes ?? []
  return (
    <ListPage
      at="/settings/tokens"
      title={settingsTexts().tokens}
      summary={tokens && texts().summary(tokens.filter((token) => stateOf(token) === 'valid').length)}
      rows={tokens}
      error={asked.error}
      again={asked.again}
      idOf={({ id }) => id}
      hrefOf={({ id }) => `/settings/tokens?token=${id}`}
      isTall
      tabs={{
        by: 'state',
        values: ['valid', 'ended', 'revoked'],
        of: stateOf,
        names: { valid: texts().valid, ended: words().ended, revoked: words().revoked },
        label: words().state,
      }}
      columns={(column) => [
        column.name(texts().member, ({ id, member_id, email, created_at }) => ({
          name: memberName(member_id) ?? email,
          mark: { kind: 'member', id: member_id },
          note: member_id === me.value.id && words().you,
          below: `${texts().since(format.value.date(created_at))}, …${id.slice(-4)}`,
        })),
        column.text(
          texts().scopes,
          ({ scopes }) => (scopes.length === known.length ? texts().allScopes : texts().count(scopes.length)),
          { width: '8rem' },
        ),
        column.state(words().state, standing, { width: '9.5rem' }),
        column.when(words().ends, ({ expires_at }) => expires_at, {
          none: words().never,
          width: '9rem',
          isNumber: true,
          phone: null,
        }),
      ]}
      create={{
        id: 'tokens.create',
        title: () => texts().create,
        keys: 'n',
        onOpen() {
          setMade(null)
          void setQuery({ token: null }, { replace: true })
        },
        form: (close) => (
          <TokenForm
            scopes={known}
            onMade={(token) => {
              setMade(token)
              void asked.again()
            }}
            onClose={close}
          />
        ),
      }}
      empty={() => ({ icon: 'plug', title: texts().none, text: texts().noneBody })}
      panel={{
        id: query.value.get('token') ?? '',
        of: (token) => <TokenPanel key={token.id} token={token} onRevoked={asked.again} />,
      }}
    >
      {made && (
        <section>
          <LinkCard
            title={texts().made}
            note={texts().count(made.scopes.length)}
            heading={texts().shown}
            text={texts().shownBody(made.expires_at && format.value.date(made.expires_at))}
            label={texts().token}
            value={made.token}
          />
        </section>
      )}
    </ListPage>
  )
}

/** Those of a deactivated member do not work, and work again when the member does. */
const isOff = ({ member_id }: TokenInfo): boolean =>
  boot.value.members.find(({ id }) => id === member_id)?.status !== 'active'

function stateOf(token: TokenInfo): 'valid' | 'ended' | 'revoked' {
  const { revoked_at, expires_at } = token
  if (revoked_at !== null) return 'revoked'
  return isOff(token) || (expires_at !== null && Date.parse(expires_at) <= now.value) ? 'ended' : 'valid'
}

function standing(token: TokenInfo) {
  const state = stateOf(token)
  if (state === 'ended' && isOff(token)) return { text: words().deactivated }
  if (state !== 'valid') return { text: words()[state] }
  const left = token.expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(token.expires_at) - now.value
  if (left < SOON_MS) return { is: 'warn' as const, text: texts().soon(format.value.duration(left)) }
  return { is: 'good' as const, text: texts().valid }
}

function TokenPanel({ token, onRevoked }: { token: TokenInfo; onRevoked: () => void }) {
  const { id, member_id, email, scopes, created_at } = token
  const owner = boot.value.members.find((member) => member.id === member_id)
  const mayRevoke = stateOf(token) !== 'revoked' && hasRole(owner?.role ?? 'viewer')
  async function revoke(): Promise<void> {
    const question = {
      title: texts().revokeTitle,
      text: texts().revokeBody,
      keep: texts().keep,
      verb: words().revoke,
    }
    if (!(await confirmFinal(question))) return
    await attempt(() => client().api.request('DELETE', `/app/tokens/${id}`), texts().revoked)
    onRevoked()
  }
  return (
    <Panel
      name={memberName(member_id) ?? email}
      below={`${email}, ${texts().since(format.value.date(created_at))}`}
      avatar={{ kind: 'member', id: member_id }}
      by="token"
    >
      <Part title={texts().scopes} count={scopes.length}>
        <ul class="scopes">
          {scopes.map((scope) => (
            <li key={scope}>
              <code>{scope}</code>
            </li>
          ))}
        </ul>
      </Part>
      <Part title={texts().id}>
        <code>{id}</code>
        <p class="small mute">{texts().idBody}</p>
      </Part>
      {mayRevoke && (
        <Part>
          <p class="small mute">{texts().revokeBody}</p>
          <Button danger onClick={() => void revoke()}>
            {words().revoke}
          </Button>
        </Part>
      )}
    </Panel>
  )
}
