/** A change to a card that was not saved, as somebody else was faster. */
export const en = {
  conflictStage: (who: string, theirs: string, mine: string) => `${who} moved it to ${theirs}. You chose ${mine}.`,
  conflictOther: (who: string, field: string) => `${who} changed its ${field} meanwhile.`,
  notSaved: 'Not saved.',
  useMine: 'Use mine',
  useTheirs: (who: string) => `Use ${who}’s`,
  someone: 'Someone else',
}
