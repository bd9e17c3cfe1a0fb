import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { referencePages } from '../../scripts/site/reference/pages.ts'
import { anchorsIn } from '../support/anchors.ts'

const ROOT = path.join(import.meta.dirname, '../..')
const pages = await referencePages()
const each = [...pages]

test.each(each)(
  '%s begins with its title, and has a text and no trace of a missing value',
  (_, text) => {
    expect(text).toMatch(/^# [A-Z].*\n\n\S/)
    expect(text).not.toMatch(/\bundefined\b|\[object Object\]|\bNaN\b/)
    expect(text).toMatch(/[^\n]\n$/)
  },
)

test.each(each)('every row of a table of %s has as many cells as its head', (_, text) => {
  expect(brokenTables(text)).toEqual([])
})

test.each(each)('every link of %s to a page or a heading works', (name, text) => {
  expect(brokenLinks(`docs/reference/${name}.md`, text)).toEqual([])
})

/** The rows whose number of cells is not that of the head. */
function brokenTables(text: string): string[] {
  const blocks = text
    .replaceAll(/^```[\s\S]*?^```/gm, '')
    .split('\n\n')
    .map((block) => block.split('\n').filter((line) => line.startsWith('|')))
  return blocks.flatMap((rows) =>
    rows.filter((row) => cellsOf(row) !== cellsOf(rows[0] ?? '') || !row.endsWith('|')),
  )
}

const cellsOf = (row: string) => row.match(/(?<!\\)\|/g)?.length ?? 0

function brokenLinks(page: string, text: string): string[] {
  const links = [...text.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/\]\(([^)\s]+)\)/g)]
  return [...new Set(links.map(([, link = '']) => link))]
    .filter((link) => !/^[a-z]+:/.test(link))
    .filter((link) => {
      const [file = '', anchor] = link.split('#')
      const target = file === '' ? page : path.posix.join(path.posix.dirname(page), file)
      const found = file === '' ? text : textOf(target)
      return found === null || (anchor !== undefined && !anchorsIn(found).includes(anchor))
    })
}

function textOf(file: string): string | null {
  const generated = pages.get(/^docs\/reference\/([\w-]+)\.md$/.exec(file)?.[1] ?? '')
  if (generated !== undefined) return generated
  if (file === 'docs/reference/rest.md') return ''
  const at = path.join(ROOT, file)
  return existsSync(at) ? readFileSync(at, 'utf8') : null
}
