// Builds the browser app, src/web, into dist/web: files named after their content and compressed once, and
// manifest.json, which lists them. Files of earlier builds are removed.
import { hash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, extname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import { build } from 'esbuild'
import { web } from '../build.config.mjs'
import { stampOf, webSources } from './web-freshness.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const source = join(root, 'src/web')
const output = join(root, 'dist/web')
/** Compressing these again would make them larger. */
const COMPRESSED = ['.woff2', '.png', '.webp']

/**
 * All CSS files in the folders of src/web become two stylesheets, the layers first: esbuild would give the CSS of modules
 * that are loaded later files that nothing loads. The second has that of the screens that are not among the first ones, and
 * comes with the first of them. They are written in pixels as the page is drawn where nobody has set a size
 * of letters, and become rem: with larger letters everything grows as it does with zoom, down to the layout of the phone, and
 * nothing is cut. Lines of one or two pixels stay as they are.
 */
const withRem = (css) =>
  css.replace(/(?<![\w.#-])(-?)(\d*\.?\d+)px\b/g, (px, sign, size) =>
    Number(size) <= 2 ? px : `${sign}${String(Number(size) / 16).replace(/^0/, '')}rem`,
  )

const isMore = (name) => name.startsWith('screens/') && !web.styledAtFirst.includes(name.split('/')[1])

const styles = {
  name: 'styles',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^(more-)?styles$/ }, ({ path }) => ({ path, namespace: 'styles' }))
    onLoad({ filter: /^/, namespace: 'styles' }, ({ path }) => {
      const first = 'styles/layers.css'
      const names = globSync('*/**/*.css', { cwd: source }).map((name) => name.replaceAll(sep, '/'))
      const later = names.filter(isMore).sort()
      const others = names.filter((name) => name !== first && !isMore(name)).sort()
      const ordered = path === 'styles' ? [first, ...others] : later
      const contents = ordered.map((name) => `@import "./${name}";\n`).join('')
      return { contents, loader: 'css', resolveDir: source }
    })
    onLoad({ filter: /[\\/]src[\\/]web[\\/].*\.css$/ }, ({ path }) => ({
      contents: withRem(readFileSync(path, 'utf8')),
      loader: 'css',
    }))
    onResolve({ filter: /\.css$/ }, ({ kind }) =>
      kind === 'import-statement' ? { path: 'none', namespace: 'none' } : undefined,
    )
    onLoad({ filter: /^/, namespace: 'none' }, () => ({ contents: '' }))
  },
}

/**
 * Modules that are loaded later import the script of the page, which is there before them. Otherwise esbuild would put
 * what the script shares with each set of them into a file of its own: a dozen requests before the first paint.
 */
const withScript = {
  name: 'with-script',
  setup({ onLoad, onResolve, resolve: find }) {
    const later = new Set()
    onResolve({ filter: /./ }, async ({ path, kind, pluginData, ...options }) => {
      if (kind !== 'dynamic-import' || pluginData === 'found') return undefined
      const found = await find(path, { ...options, kind, pluginData: 'found' })
      later.add(found.path)
      return found
    })
    onLoad({ filter: /\.tsx?$/ }, ({ path }) => {
      if (!later.has(path)) return undefined
      const contents = `${readFileSync(path, 'utf8')}\nimport ${JSON.stringify(join(root, web.script))}\n`
      return { contents, loader: extname(path).slice(1) }
    })
  },
}

const builtFrom = webSources(root)
mkdirSync(output, { recursive: true })
const worker = existsSync(join(root, web.worker)) ? await bundled([web.worker], { splitting: false }) : undefined
const workerUrl = worker ? `/assets/${worker.entries[web.worker]}` : ''
const more = await bundled(['more-styles'])
const [moreStyles] = Object.values(more.entries)
const define = {
  STREAM_WORKER_URL: JSON.stringify(workerUrl),
  MORE_STYLES_URL: JSON.stringify(`/assets/${moreStyles}`),
}
const app = await bundled([web.script, 'styles'], { define, plugins: [styles, await sharedChunks(define)] })
const { [web.script]: entry, 'styles:styles': style, ...screens } = app.entries
// The entry only imports the first chunk: the page names that at once.
const [script, ...preload] = app.importsOf(entry)
const files = await written([
  ...(worker?.files ?? []),
  ...more.files,
  ...app.files.filter(({ name }) => name !== entry),
])
const manifest = {
  build: hash('sha256', Object.keys(files).sort().join('\n')).slice(0, 12),
  script,
  style,
  preload,
  /** The files of each module that is loaded later, by the path of its source. */
  later: Object.fromEntries(Object.entries(screens).map(([path, name]) => [path, [name, ...app.importsOf(name)]])),
  files,
}
replace('manifest.json', JSON.stringify(manifest))
removeOthers(['manifest.json', ...Object.values(files).flatMap(({ forms }) => Object.values(forms))])
writeFileSync(stampOf(root), builtFrom)

/**
 * Modules that several files need, as few chunks. Otherwise each set of modules that some of them share would be a chunk, and
 * the first load a dozen requests. The first chunk is what the page, its texts and its home screen need; every module that is loaded
 * later imports all of it. The others are what the pages for signing in share, and what opens on a key or a click.
 */
async function sharedChunks(define) {
  const { metafile } = await build({
    ...web.options,
    ...{ entryPoints: [web.script], absWorkingDir: root, outdir: output, write: false, metafile: true, define },
    plugins: [styles],
  })
  const importsOf = (path, kind) => (metafile.inputs[path]?.imports ?? []).filter((each) => each.kind === kind)
  const isOwn = (path) => /^src\/(?:web|lib)\//.test(path) && !path.endsWith('.css')
  const laterOf = (path) => importsOf(path, 'dynamic-import').map((each) => each.path)
  const later = new Set(Object.keys(metafile.inputs).flatMap(laterOf))
  const reached = new Map([...later, web.script].map((path) => [path, reachedFrom(path)]))
  const sharers = (path) => [...later].filter((entry) => reached.get(entry).has(path)).length
  const first = reached.get(web.script)
  const home = [web.home, ...web.texts].flatMap((path) => [...reached.get(path)]).filter((path) => sharers(path) > 1)
  const screens = new Set([web.screens, ...web.signIn].flatMap(laterOf))
  const onDemand = [...first, ...reached.get(web.home)].flatMap(laterOf).filter((path) => !screens.has(path))
  const taken = new Set([web.script, ...later])
  const groups = [
    group([...first, ...home], 0),
    group(web.signIn.flatMap(laterOf).flatMap((path) => [...reached.get(path)])),
    group(onDemand.flatMap((path) => [...reached.get(path)])),
  ]
  return {
    name: 'shared chunks',
    setup({ onLoad, onResolve }) {
      onResolve({ filter: /^shared-chunk-/ }, ({ path }) => ({ path, namespace: 'shared' }))
      onLoad({ filter: /^/, namespace: 'shared' }, ({ path }) => {
        const paths = groups[Number(path.at(-1))]
        return {
          contents: paths.map((each) => `import ${JSON.stringify(join(root, each))}\n`).join(''),
          resolveDir: root,
        }
      })
      onLoad({ filter: /[\\/]src[\\/]web[\\/].*\.tsx?$/ }, ({ path }) => {
        const name = relative(root, path).replaceAll(sep, '/')
        if (!reached.has(name)) return undefined
        const chunks = groupsOf(name).map((index) => `import 'shared-chunk-${index}'\n`)
        const contents = chunks.join('') + readFileSync(path, 'utf8')
        return { contents, loader: extname(path).slice(1), resolveDir: dirname(path) }
      })
    },
  }

  /** The modules of the app that a module imports at once, also by way of others. */
  function reachedFrom(from) {
    const found = new Set([from])
    for (const path of found)
      for (const each of importsOf(path, 'import-statement')) if (isOwn(each.path)) found.add(each.path)
    return found
  }

  /** Those that are in no group yet and that several files need. */
  function group(paths, least = 2) {
    const own = [...new Set(paths)].filter((path) => !taken.has(path) && sharers(path) >= least)
    for (const path of own) taken.add(path)
    return own
  }

  /** Whoever needs a module of a group imports all of it, and thus also what its other modules need. */
  function groupsOf(entry) {
    const needed = new Set(entry === web.script ? [0] : [0, ...groups.keys().filter((index) => needs(entry, index))])
    for (const index of needed)
      for (const path of groups[index])
        for (const other of groups.keys()) if (!needed.has(other) && needsFrom(path, other)) needed.add(other)
    return [...needed]
  }

  function needs(entry, index) {
    return groups[index].some((path) => reached.get(entry).has(path))
  }

  function needsFrom(path, index) {
    const all = reachedFrom(path)
    return groups[index].some((each) => all.has(each))
  }
}

async function bundled(entryPoints, own) {
  const { outputFiles, metafile } = await build({
    ...web.options,
    entryPoints,
    absWorkingDir: root,
    outdir: output,
    write: false,
    metafile: true,
    plugins: [styles, withScript],
    ...own,
  })
  const outputs = Object.entries(metafile.outputs).map(([path, each]) => [basename(path), each])
  return {
    files: outputFiles.map(({ path, contents }) => ({ name: basename(path), contents: Buffer.from(contents) })),
    entries: Object.fromEntries(outputs.flatMap(([name, { entryPoint }]) => (entryPoint ? [[entryPoint, name]] : []))),
    importsOf,
  }

  /** The files that a file imports at once, also by way of others. */
  function importsOf(name, found = new Set()) {
    const { imports } = metafile.outputs[`dist/web/${name}`]
    for (const { path, kind } of imports) {
      if (kind !== 'import-statement' || found.has(basename(path))) continue
      found.add(basename(path))
      importsOf(basename(path), found)
    }
    return [...found]
  }
}

/** Writes the compressed forms that are not there yet: a name stands for its content. */
async function written(made) {
  const entries = made.map(async ({ name, contents }) => {
    const isCompressed = COMPRESSED.includes(extname(name))
    const forms = isCompressed ? { identity: name } : { br: `${name}.br`, gzip: `${name}.gz` }
    const make = {
      identity: () => contents,
      br: () => promisify(brotliCompress)(contents),
      gzip: () => promisify(gzip)(contents, { level: 9 }),
    }
    const sizes = {}
    for (const [form, file] of Object.entries(forms)) {
      if (!existsSync(join(output, file))) replace(file, await make[form]())
      sizes[form] = readFileSync(join(output, file)).length
    }
    return [name, { bytes: contents.length, sizes, forms }]
  })
  return Object.fromEntries((await Promise.all(entries)).sort(([one], [other]) => (one < other ? -1 : 1)))
}

/** Another build may run at the same time, and a reader must never see half of a file. */
function replace(name, contents) {
  const half = join(output, `${name}.${process.pid}.tmp`)
  writeFileSync(half, contents)
  renameSync(half, join(output, name))
}

function removeOthers(kept) {
  for (const name of readdirSync(output)) {
    if (!kept.includes(name) && !name.endsWith('.tmp')) rmSync(join(output, name), { recursive: true, force: true })
  }
}
