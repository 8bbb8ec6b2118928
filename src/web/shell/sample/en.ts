/** Texts of the question about the sample data. */
export const en = {
  title: 'Remove the sample data?',
  body: (count: number) =>
    count === 1 ? '1 record of the made-up firm goes for good.' : `${count} records of the made-up firm go for good.`,
  edited: (count: number) =>
    count === 1
      ? 'You have edited 1 of them. Keep that one as your own, or remove it too?'
      : `You have edited ${count} of them. Keep those as your own, or remove them too?`,
  keepAll: 'Leave it all',
  remove: 'Remove sample data',
  removeUnedited: 'Remove, keep edited ones',
  removeAll: 'Remove all',
  started: 'The sample data is being removed',
}
