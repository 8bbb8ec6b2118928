import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { ApiProblem } from '../../../data/api.ts'
import { isDead } from '../dead-link.tsx'
import type { DeadReason } from '../dead-page.tsx'
import { silence } from '../in-front.tsx'
import { fieldErrors } from '../requests.ts'
import { texts as signInTexts } from '../texts.ts'
import { texts } from './texts.ts'

const SHORTEST = 12

/** What to say below a new password while it is typed. */
export function passwordHelp(password: string): string {
  const missing = SHORTEST - [...password].length
  return password !== '' && missing > 0 ? texts().passwordShort(missing) : texts().passwordHelp
}

/**
 * A form that is sent at once: what is missing is said before sending, what the server refuses stands at its field, and
 * what was typed stays. Fields are named by the pointer of the server, such as `/owner/name`.
 */
export function useForm(send: () => Promise<void>) {
  const ref = useRef<HTMLFormElement>(null)
  const [errors, setErrors] = useState<Record<string, string>>({})
  const [message, setMessage] = useState<ComponentChildren>(null)
  const [isWorking, setWorking] = useState(false)
  const [deadLink, setDeadLink] = useState<DeadReason | null>(null)

  function show(found: Record<string, string>): void {
    setErrors(found)
    const first = [...(ref.current?.querySelectorAll<HTMLInputElement>('input') ?? [])].find(({ name }) => found[name])
    first?.focus()
  }

  /** `newPassword` names the field whose length is checked before sending. */
  const submit =
    (values: Record<string, string>, { newPassword }: { newPassword?: string } = {}) =>
    async (event: Event) => {
      event.preventDefault()
      if (isWorking) return
      const missing = missingOf(values, ref.current, newPassword)
      show(missing)
      setMessage(null)
      if (Object.keys(missing).length > 0) return
      setWorking(true)
      try {
        await send()
        setWorking(false)
      } catch (error) {
        setWorking(false)
        if (!(error instanceof ApiProblem)) setMessage(silence(error))
        else if (isDead(error.code)) setDeadLink(error.code)
        else {
          const found = fieldErrors(error)
          show(found)
          if (!Object.keys(found).some((name) => name in values)) setMessage(error.message)
        }
      }
    }

  /** Takes what is typed, and forgets what was wrong with it. */
  const input = (name: string, set: (value: string) => void) => (value: string) => {
    set(value)
    if (errors[name] === undefined) return
    const { [name]: _gone, ...others } = errors
    setErrors(others)
  }

  /** What a field of the form is given. */
  const field = (name: string, value: string, set: (value: string) => void) => ({
    name,
    value,
    onValue: input(name, set),
    error: errors[name],
  })

  return { ref, errors, message, isWorking, deadLink, submit, field }
}

function missingOf(
  values: Record<string, string>,
  form: HTMLFormElement | null,
  newPassword?: string,
): Record<string, string> {
  const found: Record<string, string> = {}
  for (const [name, value] of Object.entries(values)) {
    const label = form?.querySelector<HTMLInputElement>(`[name="${name}"]`)?.labels?.[0]?.textContent ?? ''
    if (value.trim() === '') found[name] = signInTexts().required(label)
    else if (name.endsWith('/email') && !/^\S+@\S+$/.test(value.trim())) found[name] = signInTexts().needEmail
    else if (name === newPassword && [...value].length < SHORTEST) {
      found[name] = texts().passwordShort(SHORTEST - [...value].length)
    }
  }
  return found
}
