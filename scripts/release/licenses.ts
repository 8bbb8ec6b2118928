import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Component } from './contents.ts'

/**
 * Licences under which code may be in the executable: they ask for their text, which THIRD-PARTY-LICENSES.txt has, and for
 * nothing else of a program that uses them unchanged.
 */
export const ALLOWED: ReadonlySet<string> = new Set([
  ...['MIT', 'MIT-0', 'ISC', '0BSD', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', 'BlueOak-1.0.0'],
  'MPL-2.0', // file by file: the files are unchanged, and their source is in the package
  'OFL-1.1', // the font
  'blessing', // SQLite
])

/** The licence that applies: of a choice, the first that is allowed. Throws if there is none. */
export function licenseOf({ name, license }: Pick<Component, 'name' | 'license'>): string {
  const choices = license.replace(/[()]/g, '').split(' OR ')
  const found = choices.find((each) => ALLOWED.has(each.trim()))
  if (found) return found.trim()
  throw new Error(`${name} has the licence "${license}", which is not in the list of scripts/release/licenses.ts`)
}

/** What the full text of each licence has: some packages only name theirs. */
const MARKS: Record<string, RegExp> = {
  MIT: /Permission is hereby granted, free of charge/i,
  'MIT-0': /Permission is hereby granted, free of charge/i,
  ISC: /Permission to use, copy, modify/i,
  '0BSD': /Permission to use, copy, modify/i,
  'BSD-2-Clause': /Redistribution and use in source and binary forms/i,
  'BSD-3-Clause': /Redistribution and use in source and binary forms/i,
  'Apache-2.0': /TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION/,
  'BlueOak-1.0.0': /Blue Oak Model License/,
  'MPL-2.0': /Mozilla Public License,? version 2\.0/i,
  'OFL-1.1': /SIL OPEN FONT LICENSE Version 1\.1/i,
  blessing: /public domain/,
}

/** Packages without the text, which are parts of another one. */
const PART_OF: Record<string, string> = { 'koa-compose': 'koa' }

/** The full text, with what else the package says about it. Throws if there is none. */
export function textOf(component: Pick<Component, 'name' | 'license' | 'place'>): string {
  const { name, place } = component
  const license = licenseOf(component)
  const texts = statSync(place).isFile()
    ? [readFileSync(place, 'utf8')]
    : textsIn(join(place, '..', PART_OF[name] ?? basename(place)))
  if (license === 'Apache-2.0' && texts.length > 0) texts.push(APACHE) // which is the same for everybody
  const text = texts.join('\n\n').replaceAll('\r\n', '\n').trim()
  if (MARKS[license]?.test(text.replace(/\s+/g, ' '))) return text
  throw new Error(`${name} comes without the text of its licence, ${license}`)
}

const APACHE = readFileSync(join(import.meta.dirname, 'apache-2.0.txt'), 'utf8')

function textsIn(place: string): string[] {
  const files = readdirSync(place).filter((file) => /^(licen[cs]e|copying|notice|copyright)\b/i.test(file))
  const texts = files
    .toSorted()
    .map((file) => join(place, file))
    .filter((path) => statSync(path).isFile())
  const section = texts.length > 0 ? undefined : readmeSection(place)
  return section ? [section] : texts.map((path) => readFileSync(path, 'utf8'))
}

/** Some packages have their licence in the README only. */
function readmeSection(place: string): string | undefined {
  const readme = readdirSync(place).find((file) => /^readme(\.md)?$/i.test(file))
  const text = readme && readFileSync(join(place, readme), 'utf8')
  return text?.match(/^#+ *licen[cs]e[^\n]*\n(?<text>[\s\S]*?)(?=^#+ |(?![\s\S]))/im)?.groups?.text?.trim() || undefined
}

const LINE = '-'.repeat(100)

/** Everything that the executables contain, with the texts of its licences. */
export function thirdPartyLicenses(all: readonly Component[]): string {
  const parts = all.map((each) => {
    const { name, version, website } = each
    return `${LINE}\n${name} ${version}, ${licenseOf(each)}${website ? `\n${website}` : ''}\n\n${textOf(each).trim()}\n`
  })
  return `Dealbox is under the MIT licence; see LICENSE. Its executables contain the following.\n\n${parts.join('\n')}`
}
