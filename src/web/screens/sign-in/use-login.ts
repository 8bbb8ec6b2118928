import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { ApiProblem } from '../../data/api.ts'
import { silence } from './in-front.tsx'
import { texts } from './texts.ts'

export type LoginState = {
  /** The password was right, and the code of the second factor is asked for. */
  isSecondStep: boolean
  isWorking: boolean
  /** What to say over the form. */
  message: ComponentChildren
  codeMessage: ComponentChildren
  /** Seconds until the next attempt. */
  wait: number
}

/** Signing in by a `request`, with its second step and its pauses. `done` gets the member who is signed in now. */
export function useLogin<Given>(
  request: (given: Given) => Promise<{ member_id: string }>,
  done: (memberId: string) => void,
) {
  const [state, setState] = useState<LoginState>(START)
  const [until, setUntil] = useState(0)

  useEffect(() => {
    if (until === 0) return
    const tick = () => {
      const wait = Math.max(0, Math.ceil((until - Date.now()) / 1000))
      setState((before) => ({ ...before, wait, message: wait > 0 ? texts().tooMany(texts().wait(wait)) : null }))
      if (wait === 0) setUntil(0)
    }
    tick()
    const timer = setInterval(tick, 1000)
    return () => clearInterval(timer)
  }, [until])

  async function send(given: Given): Promise<void> {
    if (state.isWorking || state.wait > 0) return
    setState((before) => ({ ...before, isWorking: true, message: null, codeMessage: null }))
    try {
      const { member_id } = await request(given)
      done(member_id)
    } catch (error) {
      setState((before) => ({ ...before, isWorking: false, ...failureOf(error) }))
      if (error instanceof ApiProblem && error.code === 'too_many_attempts') {
        setUntil(Date.now() + (error.retryAfterMs ?? 30_000))
      }
    }
  }

  const goBack = () => setState((before) => ({ ...before, isSecondStep: false, codeMessage: null }))

  return { state, send, goBack }
}

const START: LoginState = { isSecondStep: false, isWorking: false, message: null, codeMessage: null, wait: 0 }

function failureOf(error: unknown): Partial<LoginState> {
  if (!(error instanceof ApiProblem)) return { message: silence(error), codeMessage: silence(error) }
  if (error.code === 'code_required') return { isSecondStep: true }
  if (error.code === 'invalid_code') return { isSecondStep: true, codeMessage: texts().wrongCode }
  if (error.code === 'invalid_credentials') return { isSecondStep: false, message: texts().wrong }
  if (error.code === 'too_many_attempts') return {}
  return { message: error.message || texts().refused }
}
