// A module of the browser's own, which the build gives what all share: it comes once the page has time.
export { type PhonePart, phoneParts } from '../../../lib/written/people/phone-links.ts'
