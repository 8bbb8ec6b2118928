/** Texts of the first steps. */
export const en = {
  checklist: 'First steps',
  checklistDone: (done: number, all: number) => `${done} of ${all}`,
  checklistHide: 'Hide the first steps',
  isDone: 'done',
  steps: {
    look: 'Language and appearance',
    palette: 'Try the search',
    deal: 'Add a deal',
    invite: 'Invite a colleague',
    factor: 'Turn on a second factor',
    sample: 'Remove the sample data',
  },
}
