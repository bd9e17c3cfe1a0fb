import { describe, expect, test } from 'vitest'
import { CATALOGUE, formsOf, USABLE_KEYS } from './catalogue.ts'
import { literalsIn } from './literals.ts'
import { consoleSources, sourceOf } from './source.ts'
import { usedKeysIn } from './used-keys.ts'

const sources = await consoleSources()
const used = [...new Set(sources.flatMap(usedKeysIn))]

test('every text of the console is in its catalogue', () => {
  expect(sources.length).toBeGreaterThan(300)
  expect(sources.flatMap(literalsIn)).toEqual([])
})

test.each([
  ['an element', '<p>Sign out</p>'],
  ['one word between elements', '<p>{name} more</p>'],
  ['an attribute', '<Button aria-label="close" />'],
  ['a property', "const column = { label: 'state' }"],
  ['a condition', "<p>{at ? at : 'Never'}</p>"],
  ['a template', `<p>{\`Copy \${id}\`}</p>`],
  ['an argument', "notify('The webhook was saved.')"],
])('a text in %s would be found', (_, code) => {
  expect(literalsIn(sourceOf('example.tsx', code))).toHaveLength(1)
})

test.each([
  ["t('webhooks:title')"],
  ["throw new Error('No provider is above this component.')"],
  ["if (event.key === 'Enter') submit()"],
  ['<p className="wide tall">{name}</p>'],
  ["can('webhooks:read')"],
])('%s is no text', (code) => {
  expect(literalsIn(sourceOf('example.tsx', code))).toEqual([])
})

test('the sources use every text', () => {
  const patterns = used.map(
    (key) => new RegExp(`^${key.replaceAll('.', '\\.').replaceAll('*', '[^.]+')}$`),
  )
  const unused = [...USABLE_KEYS].filter((key) => !patterns.some((pattern) => pattern.test(key)))
  expect(unused).toEqual([])
})

test('the catalogue has every text that the sources use', () => {
  const known = used.filter((key) => !key.includes('*'))
  expect(known.filter((key) => !USABLE_KEYS.has(key))).toEqual([])
})

describe('a text with plural forms', () => {
  const plurals = [...USABLE_KEYS].filter((key) => formsOf(key).length > 0)

  test('has a form for one and a form for others', () => {
    expect(plurals.length).toBeGreaterThan(20)
    const incomplete = plurals.filter(
      (key) => !['one', 'other'].every((form) => formsOf(key).includes(form)),
    )
    expect(incomplete).toEqual([])
  })

  test('is no other text as well', () => {
    expect(plurals.filter((key) => CATALOGUE.has(key))).toEqual([])
  })
})
