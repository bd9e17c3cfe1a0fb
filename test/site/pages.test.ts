import { globSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { addressOf, withAddresses } from '../../scripts/site/links.ts'
import { firstSentence, type Page, readPages, withoutMarks } from '../../scripts/site/pages.ts'

const ROOT = path.join(import.meta.dirname, '../..')
const pages = await readPages()

test('the site has each page of docs once, in the order of the first page, and the reference last', () => {
  const written = globSync('docs/**/*.md', { cwd: ROOT }).map((file) => file.slice(5, -3))
  const order = pages.map((page) => page.path)
  expect(order.filter((name) => !name.startsWith('reference/')).toSorted()).toEqual(
    written.toSorted(),
  )
  expect(new Set(order).size).toBe(order.length)
  expect(order.slice(0, 2)).toEqual(['index', 'start/get-started'])
  expect(order.indexOf('guides/publish')).toBeGreaterThan(order.indexOf('concepts/events'))
  expect(order.at(-1)).toMatch(/^reference\//)
})

const guide: Page = { path: 'guides/bodies', title: '', description: '', body: '' }

test.each([
  ['[a](filters.md#every-case)', '[a](/docs/guides/filters/#every-case)'],
  ['[a](../operate/backups.md)', '[a](/docs/operate/backups/)'],
  ['[a](../reference/rest.md)', '[a](/docs/reference/rest/)'],
  ['[a](../../deploy/roles.sql)', '[a](/docs/files/deploy/roles.sql)'],
  ['[a folder](../../deploy)', 'a folder'],
  ['[a](#here) and [b](https://example.com)', '[a](#here) and [b](https://example.com)'],
  ['![a](../images/overview.png)', '![a](../images/overview.png)'],
  ['```sh\n[a](filters.md)\n```', '```sh\n[a](filters.md)\n```'],
])('%s of a guide becomes %s', (body, expected) => {
  expect(withAddresses({ ...guide, body }, pages, 'html')).toBe(expected)
})

test('as Markdown, links lead to Markdown, and pictures to the copies of their files', () => {
  const body = '[a](filters.md), [b](../reference/rest.md), ![c](../images/overview.png)'
  const files: string[] = []
  expect(withAddresses({ ...guide, body }, pages, 'markdown', (file) => files.push(file))).toBe(
    '[a](/docs/guides/filters.md), [b](/docs/reference/rest/), ![c](/docs/files/docs/images/overview.png)',
  )
  expect(files).toEqual(['docs/images/overview.png'])
  expect(addressOf('index', 'html')).toBe('/docs/')
})

test('a description is plain text, and its first sentence ends where the sentence ends', () => {
  expect(withoutMarks('A **b** of [c `d`](e.md)\nand ![f](g.png) h.')).toBe('A b of c d and h.')
  expect(firstSentence('Version 1.2 is here. The next is not.')).toBe('Version 1.2 is here.')
  expect(firstSentence('These are:')).toBe('These are.')
})
