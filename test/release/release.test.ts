import assert from 'node:assert/strict'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import Ajv from 'ajv'
import addFormats from 'ajv-formats'
import { type Component, contents } from '../../scripts/release/contents.ts'
import { ALLOWED, licenseOf, textOf, thirdPartyLicenses } from '../../scripts/release/licenses.ts'
import { sbom } from '../../scripts/release/sbom.ts'
import { version } from '../../src/assets.ts'

// What a release says about its contents; `npm run release` makes the rest.

const root = join(import.meta.dirname, '../..')
const AT = '2026-11-23T12:00:00Z'
let all: Component[]
before(async () => {
  all = await contents(root)
})
const folder = mkdtempSync(join(tmpdir(), 'dealbox-release-'))
after(() => rmSync(folder, { recursive: true }))

/** What CycloneDX 1.6 asks for of the members that are used; no others are allowed. */
const text = { type: 'string', minLength: 1 }
const object = (properties: Record<string, object>, optional: string[] = []) => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  additionalProperties: false,
})
const list = (items: object) => ({ type: 'array', items, uniqueItems: true })
const licenses = list(object({ license: object({ id: { enum: [...ALLOWED] } }) }))
const named = {
  'bom-ref': text,
  name: text,
  version: text,
  licenses,
  purl: { type: 'string', pattern: '^pkg:[a-z]+/.+@.+$' },
}
const SCHEMA = object({
  $schema: { const: 'http://cyclonedx.org/schema/bom-1.6.schema.json' },
  bomFormat: { const: 'CycloneDX' },
  specVersion: { const: '1.6' },
  serialNumber: { type: 'string', pattern: '^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' },
  version: { type: 'integer', minimum: 1 },
  metadata: object({
    timestamp: { type: 'string', format: 'date-time' },
    component: object({ type: { const: 'application' }, ...named }),
  }),
  components: list(
    object(
      {
        type: { enum: ['library', 'platform'] },
        ...named,
        hashes: list(object({ alg: { const: 'SHA-512' }, content: { type: 'string', pattern: '^[0-9a-f]{128}$' } })),
        externalReferences: list(object({ type: { const: 'website' }, url: { type: 'string', format: 'uri' } })),
      },
      ['hashes', 'externalReferences'],
    ),
  ),
  dependencies: list(object({ ref: text, dependsOn: list(text) })),
})

test('the list of contents is a CycloneDX document, the same each time', () => {
  const document = sbom(version, AT, all)
  const ajv = addFormats.default(new Ajv.default({ strict: false }))
  assert.ok(ajv.validate(SCHEMA, JSON.parse(document)), ajv.errorsText())
  const { components, dependencies, metadata } = JSON.parse(document)
  const refs = components.map((each: Record<string, string>) => each['bom-ref'])
  assert.equal(new Set(refs).size, refs.length)
  for (const { ref, dependsOn } of dependencies)
    for (const each of [ref, ...dependsOn])
      assert.ok(refs.includes(each) || each === metadata.component['bom-ref'], each)
  assert.equal(sbom(version, AT, all), document)
})

test('it has what is in the executable, and not what only builds or tests it', () => {
  const names = all.map(({ name }) => name)
  const inside = [
    'koa',
    'better-sqlite3',
    'sqlite',
    'node',
    'valibot',
    'preact',
    '@fontsource-variable/inter',
    'postal-mime',
  ]
  for (const name of inside) assert.ok(names.includes(name), name)
  const outside = [
    'esbuild',
    'typescript',
    'playwright-core',
    'axe-core',
    'socks',
    'postcss',
    'encoding-japanese',
    'zod',
  ]
  for (const name of outside) assert.ok(!names.includes(name), name)
  assert.equal(all.find(({ name }) => name === 'node')?.version, process.versions.node)
})

test('each licence is allowed, and its full text is there', () => {
  const document = thirdPartyLicenses(all)
  for (const { name, version: of } of all) assert.ok(document.includes(`\n${name} ${of}, `), name)
  assert.match(document, /END OF TERMS AND CONDITIONS/)
  assert.match(document, /SIL OPEN FONT LICENSE/)
  assert.doesNotMatch(document, new RegExp(root))
})

test('another licence, or none, stops the release', () => {
  const of = (license: string) => ({ name: 'x', license, place: folder })
  for (const license of ['GPL-3.0', '', 'SEE LICENSE IN x'])
    assert.throws(() => licenseOf(of(license)), /not in the list/)
  assert.equal(licenseOf(of('(EUPL-1.1 OR MIT)')), 'MIT')
  assert.throws(() => textOf(of('MIT')), /without the text/)
  writeFileSync(join(folder, 'LICENSE'), 'MIT')
  assert.throws(() => textOf(of('MIT')), /without the text/)
  writeFileSync(join(folder, 'LICENSE'), 'Permission is hereby granted, free of charge, to any person')
  assert.match(textOf(of('MIT')), /^Permission/)
})

test('no script begins its work before all functions of it are there', () => {
  const scripts = globSync('scripts/**/*.ts', { cwd: root })
  assert.ok(scripts.length > 30)
  for (const file of scripts) {
    const lines = readFileSync(join(root, file), 'utf8').split('\n')
    const begins = lines.findIndex((line) => /^((}? ?else )?await \w+\(|else if .*\) await )/.test(line))
    const later = lines.findLastIndex((line) => /^const \w+ = (async )?\(.*=>/.test(line))
    assert.ok(begins < 0 || later < begins, `${file}:${later + 1} is defined after line ${begins + 1} has begun`)
  }
})
