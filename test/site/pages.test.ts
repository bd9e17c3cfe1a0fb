import { globSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { addressOf, fileAddress, targetOf } from '../../scripts/site/pages/addresses.ts'
import { sectionsOf } from '../../scripts/site/pages/order.ts'
import { firstSentence, readPages, withoutMarks } from '../../scripts/site/pages/page.ts'
import { siteOf } from '../../scripts/site/pages/site.ts'

const ROOT = path.join(import.meta.dirname, '../..')
const pages = readPages()

test('each page of docs has one place in the order of the site, in the section that links to the page', () => {
  const written = globSync('docs/**/*.md', { cwd: ROOT }).map((file) => file.slice(5, -3))
  const order = pages.map(({ path }) => path)
  expect(order.toSorted()).toEqual([...new Set([...written, ...order])].toSorted())
  expect(order[0]).toBe('index')
  const sections = new Map(
    sectionsOf(pages).map(({ label, pages }) => [label, pages.map(({ path }) => path)]),
  )
  expect(sections.get('Concepts')?.slice(0, 2)).toEqual(['concepts/events', 'concepts/deliveries'])
  expect(sections.get('Guides')).toContain('guides/filters')
  // A build makes most of the reference.
  expect(sectionsOf([{ path: 'reference/rest' }])).toEqual([
    { label: 'Reference', pages: [{ path: 'reference/rest' }] },
  ])
})

describe('links', () => {
  const site = siteOf({ DOCS_BASE: '/handbook' })
  const at = (path: string) => {
    const page = site.pages.find((one) => one.path === path)
    if (!page) throw new Error(path)
    return page
  }

  test.each([
    ['filters.md#every-case', '/handbook/guides/filters/#every-case'],
    ['../operate/upgrading.md', '/handbook/operate/upgrading/'],
    ['../../deploy/roles.sql', '/handbook/files/deploy/roles.sql'],
    ['../../deploy', null],
  ])('%s of a guide leads to %s', (link, address) => {
    const target = targetOf(at('guides/bodies'), link, site.pages)
    const to = target.page
      ? addressOf(site, target.page.path) + target.anchor
      : fileAddress(site, target)
    expect(to).toBe(address)
  })

  test('to other files lead to the repository, if the build names one', () => {
    const repository = 'https://git.example/posthorn/blob/main'
    const target = targetOf(at('guides/bodies'), '../../deploy/roles.sql#L3', site.pages)
    expect(fileAddress({ ...site, repository }, target)).toBe(`${repository}/deploy/roles.sql#L3`)
  })
})

test('a description is plain text, and its first sentence ends where the sentence ends', () => {
  expect(withoutMarks('A **b** of [c `d`](e.md)\nand ![f](g.png) h.')).toBe('A b of c d and h.')
  expect(firstSentence('Version 1.2 is here. The next is not.')).toBe('Version 1.2 is here.')
  expect(firstSentence('These are:')).toBe('These are.')
})
