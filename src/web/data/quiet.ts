/** The same promise, whose rejection may be left alone: what has gone wrong is shown elsewhere, too. */
export function quiet<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => undefined)
  return promise
}
