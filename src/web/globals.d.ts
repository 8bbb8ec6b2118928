/** The address of the shared worker of data/stream-worker.ts, which scripts/build-web.mjs puts in. */
declare const STREAM_WORKER_URL: string

/** The address of the styles of the screens that are not among the first, which it puts in, too. */
declare const MORE_STYLES_URL: string

declare module '*.css'
