import { writeFileSync } from 'node:fs'
import { CATALOGUE } from './catalogue.ts'

/** `docs/console-strings.md`: every text of the console, by file. */
export function stringsDocument(): string {
  const files = Map.groupBy([...CATALOGUE].sort(), ([key]) => key.split(':')[0])
  return `${INTRODUCTION}\n${[...files].map(([file, texts]) => section(`${file}`, texts)).join('\n')}`
}

const INTRODUCTION = `# The texts of the console

Every text of the console and the portal, for translators and reviewers. \`npm run generate\` writes this document from \`src/console/strings/en\`; change the texts there.

A key names the place and the role of its text. \`{{name}}\` stands for a value, and \`<time/>\` or \`<a>…</a>\` for an element. \`_one\` and \`_other\` are the plural forms of one text, and \`_zero\` replaces \`_other\` for none.
`

function section(file: string, texts: readonly (readonly [key: string, text: string])[]): string {
  const rows = texts.map(([key, text]) => `| \`${key.slice(file.length + 1)}\` | ${cell(text)} |\n`)
  return `## ${file}\n\n| key | text |\n| --- | --- |\n${rows.join('')}`
}

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '\\<')

if (import.meta.main) {
  writeFileSync(new URL('../../../docs/console-strings.md', import.meta.url), stringsDocument())
}
