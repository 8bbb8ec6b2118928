import { hash } from 'node:crypto'
import type { Component } from './contents.ts'
import { licenseOf } from './licenses.ts'

/** A CycloneDX 1.6 document. The same contents give the same bytes: `at` is the time of the commit. */
export function sbom(version: string, at: string, all: readonly Component[]): string {
  const own = `pkg:generic/dealbox@${version}`
  const byName = new Map(all.map((each) => [each.name, each.purl]))
  const components = all.map((each) => ({
    type: each.type,
    'bom-ref': each.purl,
    name: each.name,
    version: each.version,
    ...(each.sha512 ? { hashes: [{ alg: 'SHA-512', content: each.sha512 }] } : {}),
    licenses: [{ license: { id: licenseOf(each) } }],
    purl: each.purl,
    ...(each.website ? { externalReferences: [{ type: 'website', url: each.website }] } : {}),
  }))
  const dependencies = [
    { ref: own, dependsOn: all.map(({ purl }) => purl) },
    ...all.map(({ purl, needs }) => ({
      ref: purl,
      dependsOn: needs.flatMap((name) => byName.get(name) ?? []).toSorted(),
    })),
  ]
  const serial = hash('sha256', JSON.stringify([version, components])).replace(
    /^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/,
    'urn:uuid:$1-$2-8$3-a$4-$5',
  )
  const document = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: serial,
    version: 1,
    metadata: {
      timestamp: at,
      component: {
        type: 'application',
        'bom-ref': own,
        name: 'dealbox',
        version,
        licenses: [{ license: { id: 'MIT' } }],
        purl: own,
      },
    },
    components,
    dependencies,
  }
  return `${JSON.stringify(document, null, 2)}\n`
}
