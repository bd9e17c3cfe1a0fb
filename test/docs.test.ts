import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { SCOPES } from '../src/api-keys/scope.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const PAGES = [...globSync('*.md', { cwd: ROOT }), ...globSync('docs/*.md', { cwd: ROOT })]

const read = (page: string) => readFileSync(path.join(ROOT, page), 'utf8')

test.each(PAGES)('every link of %s to a file or heading of ours leads there', (page) => {
  const broken = linksOf(page).filter((link) => {
    const [file = '', anchor] = link.split('#')
    const target = file === '' ? page : path.join(path.dirname(page), file)
    if (!existsSync(path.join(ROOT, target))) return true
    return anchor !== undefined && !anchorsOf(target).includes(anchor)
  })
  expect(broken).toEqual([])
})

test('docs/security.md says what each scope is for', () => {
  const listed = [...read('docs/security.md').matchAll(/^\| `([a-z:]+)` \|/gm)]
  expect(listed.map(([, scope]) => scope)).toEqual(SCOPES)
})

test('what the README leads to is in the package, but for pictures and for how to work on it', () => {
  const { files } = JSON.parse(read('package.json'))
  const packed: string[] = ['README.md', 'LICENSE', ...globSync(files, { cwd: ROOT })]
  const led = linksOf('README.md').flatMap((link) => link.split('#')[0] || [])
  const isPacked = (file: string) =>
    packed.some((one) => file === one || file.startsWith(`${one}/`))
  expect(led.filter((file) => !isPacked(file))).toEqual([
    'docs/images/overview.png',
    'CONTRIBUTING.md',
  ])
})

/** To files and headings of ours. */
function linksOf(page: string): string[] {
  const links = [...read(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
  return [...new Set(links)].filter((link) => !/^[a-z]+:/.test(link))
}

/** The headings of a page, as GitHub names them. */
function anchorsOf(page: string): string[] {
  return [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  )
}
