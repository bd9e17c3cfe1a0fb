import dictionary from 'dictionary-en'
import nspell from 'nspell'
import { expect, test } from 'vitest'
import { PAGES, proseOf, READMES, read } from './support/pages.ts'

/* The dictionary is that of American English. `words.txt` has the names and terms that it lacks. */
const OWN_WORDS = read('test/docs/words.txt').trim().split('\n')

const speller = nspell({
  aff: Buffer.from(dictionary.aff),
  dic: Buffer.from(dictionary.dic),
})
for (const word of OWN_WORDS) speller.add(word)

const checked = new Map<string, boolean>()

function isRight(word: string): boolean {
  const known = checked.get(word)
  if (known !== undefined) return known
  const right = speller.correct(word)
  checked.set(word, right)
  return right
}

/** Words of letters. One with a digit, such as `base64`, is a name, and so are files, domains and the alerts. */
function wordsOf(text: string): string[] {
  const words = text
    .replaceAll('’', "'")
    .replaceAll(/\S*\w[./_@]\w\S*|\bPosthorn\p{Lu}\w*/gu, ' ')
    .matchAll(/(?<![\p{L}\p{N}_])\p{L}[\p{L}']*(?![\p{L}\p{N}_])/gu)
  return [...words].map(([word]) => word.replace(/'s$|'+$/, ''))
}

test.each([...PAGES, ...READMES])('every word of %s is spelled right', (page) => {
  const wrong = proseOf(page)
    .split('\n')
    .flatMap((line, i) =>
      wordsOf(line)
        .filter((word) => !isRight(word))
        .map((word) => `${page}:${i + 1}: ${word}`),
    )
  expect(wrong, 'Correct the words, or add names and terms to test/docs/words.txt.').toEqual([])
})
