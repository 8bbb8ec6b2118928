import { signal } from '@preact/signals'

/** How many records saved views have, by their ids, as far as that was asked: see tables/count-views.ts. */
export const viewCounts = signal<ReadonlyMap<string, number>>(new Map())
