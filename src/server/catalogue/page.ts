import { createHash } from 'node:crypto'
import { html, raw } from 'hono/html'
import type { SchemaField } from '../../event-types/schema-fields.ts'
import { byGroup, type PublicType } from './public-type.ts'
import type { ReceiverCode } from './receivers.ts'
import { type Part, type Section, type Sender, sectionsOf, titleOf } from './receiving.ts'
import { styleOf } from './style.ts'

export const LOGO_PATH = '/event-types/logo'

/** The page has no scripts, and its style is known. */
export function pageHeaders({ brand }: Pick<Sender, 'brand'>): Readonly<Record<string, string>> {
  const style = createHash('sha256').update(styleOf(brand)).digest('base64')
  return {
    'content-security-policy': [
      "default-src 'none'",
      `style-src 'sha256-${style}'`,
      "img-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'referrer-policy': 'no-referrer',
    'x-frame-options': 'DENY',
  }
}

type Html = ReturnType<typeof html>

/** `/event-types`. `html` escapes what it is given. */
export function printPage(types: readonly PublicType[], sender: Sender): string {
  const groups = [...byGroup(types)]
  const { brand } = sender
  const title = titleOf(sender)
  const sections = sectionsOf(sender)
  return `${html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="${brand.logo === null ? '/console/posthorn.svg' : LOGO_PATH}">
<link rel="alternate" type="text/markdown" href="/event-types.md">
<link rel="alternate" type="application/json" href="/event-types.json">
<style>${raw(styleOf(brand))}</style>
</head>
<body>
<header><div>
${brand.logo === null ? '' : html`<img class="logo" src="${LOGO_PATH}" alt="">`}
<h1>${title}</h1>
<nav aria-label="Other forms">
<a href="/event-types.json">JSON</a>
<a href="/event-types.md">Markdown</a>
<a href="/openapi.json">OpenAPI</a>
</nav>
</div></header>
<div class="columns">
${contents(sections, groups)}
<main>
${sections.map(receiving)}
<section aria-labelledby="event-types">
<h2 id="event-types">Event types</h2>
${types.length === 0 ? EMPTY : html`<p>Subscribe your webhook to the names of event types. Each section says what <code>data</code> of its events has.</p>`}
</section>
${groups.map(([group, inGroup]) => inGroup.map((type) => section(type, group)))}
</main>
</div>
</body>
</html>`}\n`
}

const EMPTY = html`<div class="empty"><p>There are no event types yet.</p></div>`

function contents(
  sections: readonly Section[],
  groups: readonly [string | null, readonly PublicType[]][],
): Html {
  return html`<nav class="names" aria-label="Contents">
<details open>
<summary>Contents</summary>
<h2>Receive</h2>
<ul>${sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul>
${groups.map(
  ([group, types]) => html`<h2>${group ?? 'Event types'}</h2>
<ul>${types.map(({ name }) => html`<li><a href="#${name}">${name}</a></li>`)}</ul>`,
)}
</details>
</nav>`
}

function receiving({ id, title, parts }: Section): Html {
  return html`<section aria-labelledby="${id}">
<h2 id="${id}">${title}</h2>
${parts.map(printPart)}
</section>`
}

function printPart(part: Part): Html {
  if (typeof part === 'string') return html`<p>${inline(part)}</p>`
  if ('list' in part) {
    return html`<ul class="rules-list">${part.list.map((line) => html`<li>${inline(line)}</li>`)}</ul>`
  }
  if ('receivers' in part) return html`${part.receivers.map(receiver)}`
  return html`<table class="facts">
<thead><tr>${part.head.map((cell) => html`<th scope="col">${cell}</th>`)}</tr></thead>
<tbody>${part.rows.map((cells) => html`<tr>${cells.map((cell) => html`<td>${inline(cell)}</td>`)}</tr>`)}</tbody>
</table>`
}

/** Text in which backticks mark code. */
function inline(text: string): (Html | string)[] {
  return text.split('`').map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : part))
}

/** The first one is open. */
function receiver({ language, file, command, code }: ReceiverCode, i: number): Html {
  return html`<details class="receiver" name="receiver"${i === 0 ? raw(' open') : ''}>
<summary>${language}</summary>
<p><code>${file}</code></p>
<pre tabindex="0"><code>${code.trimEnd()}</code></pre>
<p>Run it:</p>
<pre tabindex="0"><code>${command}</code></pre>
</details>`
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
