/** Lower case without accents, as the server compares texts: `Łukasz` → `lukasz`. */
export { foldWhole as fold } from '../../lib/pure/fold.ts'
