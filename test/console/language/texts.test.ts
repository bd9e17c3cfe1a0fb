import { readFileSync } from 'node:fs'
import path from 'node:path'
import { IntlMessageFormat } from 'intl-messageformat'
import { describe, expect, test } from 'vitest'
import { LANGUAGES } from '../../../src/console/language/languages.ts'
import { allSources, CONSOLE, OF_CONSOLE } from './sources.ts'
import { textsOf } from './texts-in-source.ts'

/** Five languages have 1,500 lines of translations. */
const MOST_TEXTS = 298

const sources = allSources()
const asked = new Set(sources.flatMap(textsOf).map(({ text }) => text))

test('the portal has as many texts as people can keep translated', () => {
  expect(asked.size).toBeGreaterThan(250)
  expect(asked.size).toBeLessThanOrEqual(MOST_TEXTS)
})

test('what only operators see is English', () => {
  expect(sources.filter(({ name }) => OF_CONSOLE.test(name)).flatMap(textsOf)).toEqual([])
})

describe.each(LANGUAGES.filter((language) => language !== 'en'))('%s', (language) => {
  const texts: Record<string, string> = JSON.parse(
    readFileSync(path.join(CONSOLE, `locales/${language}.json`), 'utf8'),
  )

  test('has every text, and no other', () => {
    expect([...asked].filter((english) => !(english in texts))).toEqual([])
    expect(Object.keys(texts).filter((english) => !asked.has(english))).toEqual([])
  })

  test('has the same values and elements in every text as the English', () => {
    const other = Object.entries(texts).filter(
      ([english, text]) => partsOf(english, 'en').join() !== partsOf(text, language).join(),
    )
    expect(other).toEqual([])
  })

  test('leaves no text empty, and keeps the spaces around it', () => {
    const around = (text: string) => [/^\s*/.exec(text)?.[0], /\s*$/.exec(text)?.[0]].join('…')
    const other = Object.entries(texts).filter(
      ([english, text]) => text.trim() === '' || around(english) !== around(text),
    )
    expect(other).toEqual([])
  })
})

/** The names of the values and elements of a message. Of a text without values: none. */
function partsOf(text: string, language: string): readonly string[] {
  if (!/[{<]/.test(text)) return []
  let elements: ReturnType<IntlMessageFormat['getAst']>
  try {
    elements = new IntlMessageFormat(text, language).getAst()
  } catch {
    // A sample, such as {}, which is shown as it is.
    return text.match(/\{\}/g) ?? ['malformed']
  }
  return [...new Set(namesOf(elements))].sort()
}

/** The kinds of elements without a name: the text itself, and `#`. */
const TEXT = 0
const POUND = 7

function namesOf(elements: ReturnType<IntlMessageFormat['getAst']>): readonly string[] {
  return elements.flatMap((element) => {
    if (element.type === TEXT || element.type === POUND) return []
    const inside =
      'options' in element
        ? Object.values(element.options).flatMap((option) => namesOf(option.value))
        : 'children' in element
          ? namesOf(element.children)
          : []
    return [element.value, ...inside]
  })
}
