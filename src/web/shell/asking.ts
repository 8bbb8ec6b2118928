import { signal } from '@preact/signals'

/** The question about the sample data is on the page. */
export const isAskingForSample = signal(false)

export const askForSample = (isAsking: boolean): void => {
  isAskingForSample.value = isAsking
}
