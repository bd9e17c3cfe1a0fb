import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { FILTERS, NAMES, TAGS } from '../../../src/bodies/templates/liquid.ts'
import { compiled, render } from './support/render.ts'

const read = (page: string) =>
  readFileSync(new URL(`../../../docs/guides/${page}`, import.meta.url), 'utf8')

const page = read('templates.md')

/** The rows of the table below this heading, without back-ticks. */
function rowsBelow(heading: string): string[][] {
  const table = page.slice(page.indexOf(heading))
  const lines = /^\|.*\n\|[ -|]+\n((?:\|.*\n)+)/m.exec(table)?.[1]?.trimEnd().split('\n') ?? []
  return lines.map((line) =>
    line
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) =>
        cell
          .trim()
          .replace(/^`(.*)`$/, '$1')
          .replaceAll('\\|', '|'),
      ),
  )
}

test.each(rowsBelow('| template | data | body |'))('%s with %s gives %s', (text, data, body) => {
  expect(render(text, data)).toBe(body)
})

test('the page names each tag, filter and variable', () => {
  expect(rowsBelow('| template | data | body |').length).toBeGreaterThan(15)
  for (const name of [...TAGS, ...FILTERS, ...NAMES]) expect(page).toContain(`\`${name}\``)
})

test('the templates of the pages are accepted', () => {
  const templates = [...(page + read('chat.md')).matchAll(/^```json\n(.*?)^```/gms)].map(
    ([, text = '']) => text,
  )
  expect(templates).toHaveLength(2)
  for (const template of templates) expect(() => compiled(template)).not.toThrow()
})
