import { type Html, html, join } from '../html.ts'
import { codeBlock } from './code.ts'
import { curl } from './curl.ts'
import { type Group, isPage, nameOf, type Operation, type Parameter, type Response, resolve } from './document.ts'
import { type DocumentContext, fieldList, parameterList, typeOf } from './fields.ts'
import { inline, prose } from './markdown.ts'

export const method = (name: string): Html => html`<span class="method ${name}">${name.toUpperCase()}</span>`

/** A heading that links to itself. */
export const anchor = (id: string, title: string): Html => html`<a class="anchor" href="#${id}">${title}</a>`

export function operationSection(place: DocumentContext, group: Group, operation: Operation): Html {
  const { id, summary, path, scopes, description, answers } = operation
  return html`
<section class="two operation" id="${id}" aria-labelledby="${id}-title">
<div class="text">
<h3 id="${id}-title">${anchor(id, summary)}</h3>
<p class="route">${method(operation.method)} <code>${path}</code></p>
${
  scopes.length > 0 &&
  html`<p class="scope">Scope ${join(
    scopes.map((scope) => html`<code>${scope}</code>`),
    ', ',
  )}</p>`
}
${description && prose(description)}
${PLACES.map(([kind, title]) =>
  parameterPart(
    place,
    title,
    operation.parameters.filter((parameter) => parameter.in === kind),
  ),
)}
${bodyPart(place, operation)}
${answers.filter(({ status }) => status < '400').map(({ status, response }) => answerPart(place, status, response))}
${problemPart(operation)}
</div>
<div class="side-by">${codeBlock('sh', curl(place.document, group, operation, place.apiUrl), 'Request')}</div>
</section>`
}

const PLACES = [
  ['path', 'Path'],
  ['query', 'Query parameters'],
  ['header', 'Headers'],
] as const

function parameterPart(place: DocumentContext, title: string, parameters: readonly Parameter[]): Html | false {
  return parameters.length > 0 && html`<h4>${title}</h4>${parameterList(place, parameters)}`
}

function bodyPart(place: DocumentContext, { body }: Operation): Html | false {
  const [first] = Object.values(body ?? {})
  if (!body || !first) return false
  const name = nameOf(first.schema)
  const types = join(
    Object.keys(body).map((type) => html`<code>${type}</code>`),
    ' or ',
  )
  return html`
<div${name ? html` id="schema-${name}"` : ''}><h4>Body</h4><p class="media">${types}</p>
${fieldList(place, resolve(place.document, first.schema), 'body')}</div>`
}

function answerPart(place: DocumentContext, status: string, { description, headers, content }: Response): Html {
  const schema = Object.values(content ?? {})[0]?.schema
  const found = schema && resolve(place.document, schema)
  const isShown = found && (isPage(found) || !schema.$ref)
  const forms = Object.keys(content ?? {}).slice(1)
  const names = Object.keys(headers ?? {}).map((name) => html`<a href="#header-${name}">${name}</a>`)
  return html`
<h4>Response <span class="status">${status}</span></h4>
<p>${inline(description)}${found && !isShown && html` Fields: ${typeOf(place, found.oneOf ? found : schema)}.`}${
    forms.length > 0 &&
    html` Also available with <code>Accept</code> as ${join(
      forms.map((type) => html`<code>${type}</code>`),
      ', ',
    )}.`
  }</p>
${isShown && fieldList(place, found, 'answer')}
${names.length > 0 && html`<p class="headers">Headers: ${join(names, ', ')}</p>`}`
}

function problemPart({ answers }: Operation): Html | false {
  const problems = answers.filter(({ status }) => status >= '400')
  return (
    problems.length > 0 &&
    html`
<details><summary>Errors ${problems.map(({ status }) => html`<span class="status">${status}</span> `)}</summary>
<dl class="problems">${problems.map(
      ({ status, response }) => html`<div><dt>${status}</dt><dd>${inline(response.description)}</dd></div>`,
    )}</dl></details>`
  )
}
