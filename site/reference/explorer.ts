import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import type { ExplorerOperation } from '../explorer/explorer.ts'
import { page } from './markdown.ts'
import { operationsOf } from './open-api.ts'
import { DOCUMENT } from './rest.ts'

/** The page has a script and a style of the same origin, two levels up: `…/reference/explorer/`. */
export function explorerPage(): string {
  return page(
    '# REST explorer',
    'Sends requests of the [REST API](rest.md) from this page to the server that serves it. The API key stays in the memory of the page until you leave or reload it. A request that changes something asks first.',
    '<link rel="stylesheet" href="../../explorer.css">\n<div id="posthorn-explorer"><p>The explorer needs JavaScript, and a Posthorn that serves this page.</p></div>\n<script type="module" src="../../explorer.js"></script>',
  )
}

/** What the page loads, for the public folder of the site. */
export function explorerFiles(): Map<string, string> {
  const read = (name: string) =>
    readFileSync(new URL(`../explorer/${name}`, import.meta.url), 'utf8')
  return new Map([
    ['explorer.js', stripTypeScriptTypes(read('explorer.ts'))],
    ['explorer.css', read('explorer.css')],
    ['explorer.json', JSON.stringify(explorerOperations())],
  ])
}

export function explorerOperations(): ExplorerOperation[] {
  return operationsOf(DOCUMENT).map(({ id, method, path, summary, description, ...operation }) => ({
    ...{ id, method, path, summary, description },
    parameters: operation.parameters.map(({ name, in: place, required, description }) => ({
      ...{ name, in: place, description },
      ...(required && { required }),
    })),
    body: operation.body === null ? null : JSON.stringify(operation.body.example, null, 2),
  }))
}
