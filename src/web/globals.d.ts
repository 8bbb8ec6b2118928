/** The address of the shared worker of data/stream-worker.ts, which scripts/build-web.mjs puts in. */
declare const STREAM_WORKER_URL: string

declare module '*.css'
