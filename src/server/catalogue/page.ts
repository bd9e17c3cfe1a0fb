import { createHash } from 'node:crypto'
import { html, raw } from 'hono/html'
import type { SchemaField } from '../../event-types/schema-fields.ts'
import { byGroup, type PublicType } from './public-type.ts'
import { INSTALL, receiverSnippet } from './snippet.ts'
import { STYLE } from './style.ts'

/** The page has no scripts, and its style is known. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
}

type Html = ReturnType<typeof html>

/** `/event-types`. `html` escapes what it is given. */
export function printPage(types: readonly PublicType[], headerPrefix: string): string {
  const groups = [...byGroup(types)]
  const count = `${types.length.toLocaleString('en')} ${types.length === 1 ? 'type' : 'types'}`
  return `${html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Event types</title>
<link rel="icon" href="/console/posthorn.svg">
<link rel="alternate" type="text/markdown" href="/event-types.md">
<link rel="alternate" type="application/json" href="/event-types.json">
<style>${raw(STYLE)}</style>
</head>
<body>
<header><div>
<h1>Event types</h1>
<span class="count">${count}</span>
<nav aria-label="Other forms">
<a href="/event-types.json">JSON</a>
<a href="/event-types.md">Markdown</a>
<a href="/openapi.json">OpenAPI</a>
</nav>
</div></header>
<div class="${types.length === 0 ? 'columns single' : 'columns'}">
${types.length === 0 ? '' : contents(groups)}
<main>
${verifySection(headerPrefix)}
${types.length === 0 ? EMPTY : groups.map(([group, inGroup]) => inGroup.map((type) => section(type, group)))}
</main>
</div>
</body>
</html>`}\n`
}

const EMPTY = html`<div class="empty"><p>There are no event types yet.</p></div>`

function contents(groups: readonly [string | null, readonly PublicType[]][]): Html {
  return html`<nav class="names" aria-label="Event types">
<details open>
<summary>Event types</summary>
${groups.map(
  ([group, types]) => html`${group === null ? '' : html`<h2>${group}</h2>`}
<ul>${types.map(({ name }) => html`<li><a href="#${name}">${name}</a></li>`)}</ul>`,
)}
</details>
</nav>`
}

function verifySection(headerPrefix: string): Html {
  return html`<section aria-labelledby="verify">
<h2 id="verify">Verify a delivery</h2>
<p>A delivery is a POST request with the event as JSON: <code>id</code>, <code>type</code>, <code>timestamp</code> and <code>data</code>. Verify its signature before you use it. In Node:</p>
<pre tabindex="0"><code>${INSTALL}</code></pre>
<pre tabindex="0"><code>${receiverSnippet(headerPrefix)}</code></pre>
</section>`
}

function section(
  { name, description, schema, fields, exampleText }: PublicType,
  group: string | null,
): Html {
  return html`<section aria-labelledby="${name}">
${group === null ? '' : html`<div class="group">${group}</div>`}
<h3 id="${name}"><a href="#${name}">${name}</a></h3>
<p>${description}</p>
${fieldsOf(fields, schema === null)}
${exampleText === null ? '' : html`<h4>Example of data</h4><pre class="examples" tabindex="0"><code>${exampleText}</code></pre>`}
</section>`
}

function fieldsOf(fields: readonly SchemaField[], isAny: boolean): Html | string {
  if (isAny) return html`<p>The data is any JSON value.</p>`
  if (fields.length === 0) return ''
  return html`<h4>Fields of data</h4>
<table>
<thead><tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">Description</th></tr></thead>
<tbody>${fields.map(row)}</tbody>
</table>`
}

function row({ path, type, required, description, rules }: SchemaField): Html {
  return html`<tr><td><code>${path}</code>${required ? html`<span class="required">required</span>` : ''}</td><td>${type}</td><td>${description}${rules.length === 0 ? '' : html`<span class="rules">${rules.join(' · ')}</span>`}</td></tr>`
}
