/** A record in wire form. */
export type Stored = { id: string; version: number } & Record<string, unknown>
