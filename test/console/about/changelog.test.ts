import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readChangelog, spansOf } from '../../../src/console/about/changelog.ts'

test('a changelog is read as releases with groups; a group without entries is left out', () => {
  const text = `# Changelog

The format follows Keep a Changelog.

## [Unreleased]

### Added

#### APIs

- One with \`code\`.
- Two.

## 0.1.0 - 2026-01-31

### Fixed

- Three.
`
  expect(readChangelog(text)).toEqual([
    { name: 'Unreleased', groups: [{ title: 'APIs', items: ['One with `code`.', 'Two.'] }] },
    { name: '0.1.0 - 2026-01-31', groups: [{ title: 'Fixed', items: ['Three.'] }] },
  ])
  expect(readChangelog('No headings.\n- An entry of nothing.')).toEqual([])
})

test('code, emphasis and links are spans, and other text stays as it is', () => {
  expect(spansOf('Set `A_B`, *then* see [`docs`](docs/a.md): 2 * 3.')).toEqual([
    { kind: 'text', text: 'Set ' },
    { kind: 'code', text: 'A_B' },
    { kind: 'text', text: ', ' },
    { kind: 'emphasis', text: 'then' },
    { kind: 'text', text: ' see ' },
    { kind: 'text', text: 'docs' },
    { kind: 'text', text: ': 2 * 3.' },
  ])
})

test('the changelog of this version has something to show', () => {
  const text = readFileSync(new URL('../../../CHANGELOG.md', import.meta.url), 'utf8')
  const [newest] = readChangelog(text)
  expect(newest?.groups.length).toBeGreaterThan(0)
})
