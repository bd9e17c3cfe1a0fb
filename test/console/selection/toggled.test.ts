import { expect, test } from 'vitest'
import { toggled } from '../../../src/console/components/selection/toggled.ts'

const shown = ['a', 'b', 'c', 'd']

test('a row is selected and deselected', () => {
  const one = toggled({ shown, selected: new Set(), anchor: '', id: 'b', through: false })
  expect([...one]).toEqual(['b'])
  expect([...toggled({ shown, selected: one, anchor: 'b', id: 'b', through: false })]).toEqual([])
})

test('a range goes both ways, and keeps rows of other pages', () => {
  const selected = new Set(['z', 'c'])
  const up = toggled({ shown, selected, anchor: 'c', id: 'a', through: true })
  expect([...up].toSorted()).toEqual(['a', 'b', 'c', 'z'])
  const down = toggled({ shown, selected: up, anchor: 'a', id: 'b', through: true })
  expect([...down].toSorted()).toEqual(['c', 'z'])
})

test('without a row before it on this page, a range is one row', () => {
  const selected = new Set(['z'])
  const next = toggled({ shown, selected, anchor: 'z', id: 'b', through: true })
  expect([...next].toSorted()).toEqual(['b', 'z'])
})
