import type { DraftFile } from '../../../inbox/messages/draft-files.ts'
import { ApiProblem, NoAnswer } from '../../data/api.ts'
import { explain } from '../../data/browser.ts'
import { ECHO, isOwn, MEMBER, newEcho } from '../../data/headers.ts'
import { base } from '../../lib/base.ts'

type Upload = {
  path: string
  file: File
  name: string
  /** Sent as Idempotency-Key: sent again, it is there once. */
  key: string
  member: string
  onShare: (share: number) => void
}

/** Sends a file and says how far it is, which fetch cannot. Rejects with ApiProblem or NoAnswer. */
export function upload({ path, file, name, key, member, onShare }: Upload): {
  done: Promise<DraftFile>
  stop: () => void
} {
  const request = new XMLHttpRequest()
  const echo = newEcho()
  const done = new Promise<DraftFile>((resolve, reject) => {
    const fail = () => reject(new NoAnswer('The server could not be reached.'))
    request.upload.addEventListener('progress', ({ loaded, total }) => onShare(total > 0 ? loaded / total : 0))
    for (const type of ['error', 'abort', 'timeout']) request.addEventListener(type, fail)
    request.addEventListener('load', () => {
      if (!isOwn({ get: (header) => request.getResponseHeader(header) }, echo)) return fail()
      const body = JSON.parse(request.responseText) as Record<string, unknown>
      if (request.status < 400) return resolve(body as DraftFile)
      const problem = new ApiProblem(request.status, body)
      void explain(problem).then(() => reject(problem))
    })
    request.open('POST', base + path)
    const headers = { Accept: 'application/json', [ECHO]: echo, [MEMBER]: member, 'Idempotency-Key': key }
    for (const [header, value] of Object.entries(headers)) request.setRequestHeader(header, value)
    const form = new FormData()
    form.append('file', file, name)
    request.send(form)
  })
  return { done, stop: () => request.abort() }
}
