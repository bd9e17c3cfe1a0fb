import { expect, test } from 'vitest'
import { withPackedLinks } from '../../release/packed-links.ts'
import { read } from '../docs/support/pages.ts'

const page = {
  file: 'README.md',
  files: ['docs/index.md'],
  moved: { 'README.md': 'docs/README.md' },
}

test('the packed README has the text of its picture, and no picture', () => {
  const packed = withPackedLinks(read('README.md'), page)
  expect(packed).not.toMatch(/<picture|<img|images\//)
  expect(packed).toContain('\nThe overview page of the console')
})

test('a link to a packed page stays, and one to another file becomes its text', () => {
  expect(withPackedLinks('[all](docs/index.md), [license](LICENSE)', page)).toBe(
    '[all](index.md), license',
  )
})
