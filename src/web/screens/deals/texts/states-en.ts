/** Texts of a board without cards. */
export const en = {
  emptyTitle: 'No deals yet',
  emptyBody:
    'A deal is a potential sale on its way through the stages of a pipeline. Add the first, or bring the ones you have: a CSV from any other tool will do, and you see the result before it is saved.',
  emptyImport: 'Import a CSV',
  importTitle: 'Import deals from a CSV',
  importBody: 'Files are read on the computer on which Dealbox runs. Put yours there, and run:',
  importNext:
    'It shows which column becomes which field, and changes nothing. Without --dry-run the deals are here at once. Companies and contacts come in first, in the same way.',
  copyLine: 'Copy the line',
  copied: 'Copied',
  exampleTitle: 'Example',
  exampleDeal: 'Sensors for the second line',
  exampleCompany: 'Northwind Works',
  noFitOne: 'No deal fits this filter',
  noFitBoth: 'No deal fits both filters',
  noFitAll: (number: number) => `No deal fits all ${number} filters`,
  noFitSearch: (q: string) => `No deal has “${q}” in its title or company`,
  without: 'Without',
  thereWouldBe: (number: number) => `there would be ${number}.`,
  removeFilter: 'Remove that filter',
  clearAll: 'Clear all',
  loadFailed: 'The board could not be loaded',
  loadFailedBody:
    'Nothing you saved is lost. Try again; if it fails again, the request number helps the person who runs this server.',
  tryAgain: 'Try again',
  request: (id: string) => `Request ${id}`,
  noPipeline: 'There is no pipeline yet',
  noPipelineBody:
    'Deals move through the stages of a pipeline. Whoever runs the server sets it up with `dealbox settings apply`.',
}
