import { existsSync, globSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { anchorsIn } from '../support/anchors.ts'
import { PAGES, proseOf, READMES, ROOT, read, withoutBlocks } from './support/pages.ts'

test.each(PAGES)('every link of %s to a local file or heading works', (page) => {
  const broken = linksOf(read(page)).filter((link) => !works(page, link))
  expect(broken).toEqual([])
})

function works(page: string, link: string): boolean {
  const [file = '', anchor] = link.split('#')
  const target = file === '' ? page : path.posix.join(path.posix.dirname(page), file)
  if (!existsSync(path.join(ROOT, target))) return false
  return anchor === undefined || anchorsIn(read(target)).includes(anchor)
}

/** The links to local files and headings, and the pictures. */
function linksOf(text: string): string[] {
  const links = [...withoutBlocks(text).matchAll(/(?:\]\(|(?:href|src|srcset)=")([^)"\s]+)/g)].map(
    ([, link = '']) => link,
  )
  return [...new Set(links)].filter((link) => !/^[a-z]+:/.test(link))
}

const packed = READMES.filter((page) => page.startsWith('packages/'))

test.each(packed)('%s, which npm shows, has no link to a file of this repository', (page) => {
  expect(linksOf(read(page)).filter((link) => !link.startsWith('#'))).toEqual([])
})

const inDocs = PAGES.filter((page) => page.startsWith('docs/'))

test('docs/index.md links every page but the first steps and itself', () => {
  const linked = linksOf(read('docs/index.md')).map((link) => path.posix.join('docs', link))
  const missing = inDocs.filter((page) => page !== 'docs/index.md' && !linked.includes(page))
  expect(missing).toEqual([])
})

test.each(inDocs)(
  '%s begins with its title and a sentence, and every picture has a text',
  (page) => {
    const text = read(page)
    expect(text).toMatch(/^# \S.*\n\n[A-Z`"[]/)
    expect(proseOf(page).match(/^# /gm)?.length, 'one title').toBe(1)
    expect(text).not.toMatch(/!\[\s*\]/)
  },
)

/** What an operator, a user or a program reads: alerts, errors, the help of commands, descriptions of the graph. */
const NAMING = [
  'deploy/**/*.{json,sql,service,txt,yaml,yml}',
  'schema.graphql',
  'src/**/*.{ts,tsx}',
]

test('every page that a program or a file of deploy names exists, with the heading, such as those of the alerts', () => {
  const files = globSync(NAMING, { cwd: ROOT, exclude: ['**/node_modules/**', '**/generated/**'] })
  const named = files.flatMap((file) =>
    [...read(file).matchAll(/(?<![\w/.-])docs\/[\w/-]+\.md(?:#[\w-]+)?/g)].map(([link]) => ({
      file,
      link,
    })),
  )
  const broken = named.filter(({ link }) => !works('', link))
  expect(broken).toEqual([])
  expect(named.filter(({ link }) => link.includes('#')).length).toBeGreaterThan(15)
})
