import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { FILTERS, NAMES, TAGS } from '../../../src/bodies/templates/liquid.ts'
import { compiled, render } from './support/render.ts'

const read = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8')

const page = read('../../../docs/guides/bodies.md')

/** The rows of the table below this heading, without back-ticks. */
function rowsBelow(heading: string, text: string): string[][] {
  const table = text.slice(text.indexOf(heading))
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

const HEAD = '| template | data | body |'

test.each([...rowsBelow(HEAD, page), ...rowsBelow(HEAD, read('../cases.md'))])(
  '%s with %s gives %s',
  (text, data, body) => {
    expect(render(text, data)).toBe(body)
  },
)

test('the page names each tag, filter and variable', () => {
  expect(rowsBelow(HEAD, page).length).toBeGreaterThan(4)
  for (const name of [...TAGS, ...FILTERS, ...NAMES]) expect(page).toContain(`\`${name}\``)
})

test('the template of the page is accepted', () => {
  const blocks = [...page.matchAll(/^```json\n(.*?)^```/gms)].map(([, text = '']) => text)
  const templates = blocks.filter((text) => text.includes('{{'))
  expect(templates).toHaveLength(1)
  for (const template of templates) expect(() => compiled(template)).not.toThrow()
})
