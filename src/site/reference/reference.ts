import { sample } from '../../http/openapi/openapi-example.ts'
import { type Content, type Html, html } from '../html.ts'
import { codeBlock } from './code.ts'
import { curl } from './curl.ts'
import {
  basePath,
  type Group,
  groupsOf,
  nameOf,
  type OpenApi,
  originOf,
  partsOf,
  resolve,
  type Schema,
  slug,
} from './document.ts'
import { type DocumentContext, fieldList } from './fields.ts'
import { inline, prose, type Section, sections } from './markdown.ts'
import { anchor, method, operationSection } from './operation.ts'

/**
 * Renders the API reference: every operation and every schema of the document on one page that works without scripts.
 * The examples are for the server that the document names.
 */
export function referencePage(document: OpenApi): string {
  const groups = groupsOf(document)
  const place = { document, parts: partsOf(document, groups), apiUrl: originOf(document) }
  const [opening, ...intro] = sections(document.info.description)
  const others = otherSchemas(place, groups)
  const { title, version } = document.info
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} API reference</title>
<link rel="icon" href="icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="reference.css">
<script src="reference.js" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the reference</a>
<div class="side">
<header><a class="brand" href="#content"><img src="icon.svg" alt="" width="24" height="24">${title}</a> <span>API ${version}</span></header>
<search hidden><input type="search" aria-label="Filter the reference" placeholder="Filter" autocomplete="off" spellcheck="false"><output class="unseen"></output></search>
${contents(intro, groups, others.length > 0)}
</div>
<main id="content" tabindex="-1">
${openingSection(place, groups, opening)}
${intro.map((section) => introSection(section))}
${headerSection(document)}
${groups.map((group) => groupSection(place, group))}
${others.length > 0 && html`<section class="group" aria-labelledby="objects"><h2 id="objects">${anchor('objects', 'Other objects')}</h2>${others.map((name) => objectSection(place, name))}</section>`}
<p class="nothing" hidden>No results.</p>
</main>
</body>
</html>
`.markup
}

function contents(intro: readonly Section[], groups: readonly Group[], hasOthers: boolean): Html {
  const item = (id: string, title: Content, inner?: Content) => html`<li><a href="#${id}">${title}</a>${inner}</li>`
  return html`<nav aria-label="Contents"><ul>
${intro.map(({ title }) => item(slug(title), title))}
${item('headers', 'Headers')}
</ul><ul>
${groups.map(({ id, name, operations }) =>
  item(
    id,
    name,
    html`<ul>${operations.map((operation) => item(operation.id, [method(operation.method), ` ${operation.summary}`]))}</ul>`,
  ),
)}
${hasOthers && item('objects', 'Other objects')}
</ul></nav>`
}

function openingSection(
  { document, apiUrl }: DocumentContext,
  groups: readonly Group[],
  { prose, code }: Section,
): Html {
  const [group] = groups.filter(({ operations }) => operations.length > 0)
  const [operation] = group?.operations ?? []
  const base = `${apiUrl}${basePath(document)}`
  const first = operation && curl(document, group as Group, operation, apiUrl)
  return html`
<section class="two opening" aria-labelledby="title">
<div class="text">
<h1 id="title">${document.info.title} API</h1>
${prose}
<p>The examples use your token from <code>$TOKEN</code>, and ids from variables such as <code>$DEAL_ID</code>.</p>
<dl class="facts"><div><dt>Base URL</dt><dd><code>${base}</code></dd></div><div><dt>OpenAPI document</dt><dd><a href="openapi.json">openapi.json</a></dd></div></dl>
</div>
<div class="side-by">${first && codeBlock('sh', `export TOKEN=v4.public.…  # your token\n\n${first}`, 'A first request')}${code}</div>
</section>`
}

function introSection({ title, prose, code }: Section): Html {
  const id = slug(title)
  return html`
<section class="two" id="${id}" aria-labelledby="${id}-title">
<div class="text"><h2 id="${id}-title">${anchor(id, title)}</h2>${prose}</div>
<div class="side-by">${code}</div>
</section>`
}

function headerSection({ components }: OpenApi): Html {
  const headers = Object.entries(components.headers)
  return html`
<section class="two" id="headers" aria-labelledby="headers-title">
<div class="text"><h2 id="headers-title">${anchor('headers', 'Headers')}</h2>
<p>Headers of responses. Each operation lists those that it returns.</p>
<dl class="fields">${headers.map(
    ([name, { description }]) =>
      html`<div id="header-${name}"><dt><code>${name}</code></dt><dd><p>${inline(description ?? '')}</p></dd></div>`,
  )}</dl></div>
</section>`
}

function groupSection(place: DocumentContext, group: Group): Html {
  const { id, name, description, operations, objects } = group
  return html`
<section class="group" aria-labelledby="${id}">
<div class="two">
<div class="text"><h2 id="${id}">${anchor(id, name)}</h2>${description && prose(description)}</div>
<div class="side-by"><ul class="routes">${operations.map(
    (operation) => html`<li>${method(operation.method)} <a href="#${operation.id}">${operation.path}</a></li>`,
  )}</ul></div>
</div>
${objects.map((object) => objectSection(place, object))}
${operations.map((operation) => operationSection(place, group, operation))}
</section>`
}

function objectSection(place: DocumentContext, name: string): Html {
  const { document } = place
  const schema = document.components.schemas[name] as Schema
  const example = sample(name, schema, (inner) => resolve(document, inner))
  return html`
<section class="two object" id="schema-${name}" aria-labelledby="schema-${name}-title">
<div class="text"><h3 id="schema-${name}-title">${anchor(`schema-${name}`, `${name} object`)}</h3>${schema.oneOf && prose(schema.description ?? '')}${fieldList(place, schema, 'answer')}</div>
<div class="side-by">${codeBlock('json', JSON.stringify(example, null, 2), name)}</div>
</section>`
}

/** Returns the schemas that are neither returned by an operation, nor used as a body, nor shown inside of others. */
function otherSchemas({ document, parts }: DocumentContext, groups: readonly Group[]): string[] {
  const shown = new Set([...parts, ...groups.flatMap(({ objects }) => objects)])
  for (const { body } of groups.flatMap(({ operations }) => operations))
    for (const { schema } of Object.values(body ?? {})) shown.add(nameOf(schema) ?? '')
  return Object.keys(document.components.schemas).filter((name) => !shown.has(name))
}
