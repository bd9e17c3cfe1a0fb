import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readable } from '../../src/console/theme/theme.ts'
import { contrastOf } from './support/contrast.ts'

const contrastWithWhite = (color: string) => contrastOf('#ffffff', color)

const color = fc
  .integer({ min: 0, max: 0xff_ff_ff })
  .map((number) => `#${number.toString(16).padStart(6, '0')}`)

test('white text is readable on any color of a host application', () => {
  fc.assert(
    fc.property(color, (given) => {
      const shown = readable(given)
      expect(shown).toMatch(/^#[0-9a-f]{6}$/)
      expect(contrastWithWhite(shown)).toBeGreaterThanOrEqual(4.5)
    }),
    { examples: [['#ffffff'], ['#ffff00'], ['#000000']] },
  )
})

test('a color that is dark enough stays unchanged', () => {
  expect(readable('#20419a')).toBe('#20419a')
  expect(readable('#000000')).toBe('#000000')
})
