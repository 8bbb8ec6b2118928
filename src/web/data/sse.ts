/** One message of a stream of server-sent events. */
export type Message = { event: string; data: string }

/**
 * Reads server-sent events from pieces of text as they come. Not with EventSource: it hides the comments by which the server
 * shows that it is there, and the status of an answer that is no stream.
 */
export function messageReader(onMessage: (message: Message) => void): (text: string) => void {
  let rest = ''
  let event = ''
  let data: string[] = []

  function line(text: string): void {
    if (text === '') {
      if (data.length > 0) onMessage({ event: event || 'message', data: data.join('\n') })
      event = ''
      data = []
      return
    }
    const colon = text.indexOf(':')
    if (colon === 0) return
    const field = colon < 0 ? text : text.slice(0, colon)
    const value = colon < 0 ? '' : text.slice(colon + 1).replace(/^ /, '')
    if (field === 'event') event = value
    if (field === 'data') data.push(value)
  }

  return (text) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() as string
    for (const each of lines) line(each.replace(/\r$/, ''))
  }
}
