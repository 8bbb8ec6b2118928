import { useMemo, useState } from 'preact/hooks'
import { isMailProvider, nameOfHost } from '../../../lib/pure/mail-providers.ts'
import { Button } from '../../components/button.tsx'
import { sayFailed } from '../../components/say-failed.ts'
import { showToast } from '../../components/toast.tsx'
import { create, patch } from '../../data/records.ts'
import type { Company, Contact } from '../../data/types.ts'
import { asStep, inStep } from '../../data/writes.ts'
import { useAsk } from '../../shell/pages/ask.ts'
import { texts } from './texts.ts'

/** The company of who writes, by the domain of the address: the one that has it, or a new one. */
export function CompanyOffer({ contact }: { contact: Contact }) {
  const domain = useMemo(() => domainOf(contact), [contact.emails])
  const path = domain && `/api/v1/companies?limit=1&domain=${encodeURIComponent(domain)}`
  const found = useAsk<{ data: Company[] }>(path, ['companies']).value?.data
  const [isWorking, setWorking] = useState(false)
  if (!domain || !found) return null
  const known = found[0]
  const name = known?.name ?? titled(nameOfHost(domain))
  const words = texts()

  async function add(to: string): Promise<void> {
    setWorking(true)
    let making: Promise<Company> | undefined
    let joining: Promise<void> | undefined
    const join = (company: string) => {
      joining = patch('contacts', contact.id, { company_id: company })
    }
    try {
      const step = asStep(() => {
        if (known) join(known.id)
        else making = create('companies', { name, domains: [to] })
      })
      if (making) {
        const made = await making
        inStep(step, () => join(made.id))
      }
      await joining
      showToast({ text: words.said.company(name), step })
    } catch (error) {
      sayFailed(words.companyNotAdded, error)
    } finally {
      setWorking(false)
    }
  }

  return (
    <Button plain icon="firm" working={isWorking ? '…' : undefined} onClick={() => void add(domain)}>
      <span class="cut">{known ? words.addToCompany(name) : words.makeCompany(name, domain)}</span>
    </Button>
  )
}

/** Null for an address that anybody can have. */
function domainOf({ emails }: Contact): string | null {
  const email = (emails.find(({ is_primary }) => is_primary) ?? emails[0])?.email
  const domain = email?.split('@').at(-1)?.toLowerCase()
  return domain && !isMailProvider(domain) ? domain : null
}

const titled = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)
