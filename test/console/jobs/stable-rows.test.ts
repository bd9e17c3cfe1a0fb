import { describe, expect, test } from 'vitest'
import { mayReplace, stableRows } from '../../../src/console/jobs/list/use-stable-rows.ts'

const rowsOf = (...ids: string[]) => ids.map((id) => ({ id, state: 'now' }))

describe('frozen rows', () => {
  const shown = ['a', 'b', 'c'].map((id) => ({ id, state: 'before' }))

  test('keep their order, update in place, and are marked once removed', () => {
    expect(stableRows(shown, rowsOf('c', 'a', 'd')).rows).toEqual([
      { id: 'a', state: 'now', removed: false },
      { id: 'b', state: 'before', removed: true },
      { id: 'c', state: 'now', removed: false },
    ])
  })

  test('come with the counts of new and removed rows', () => {
    expect(stableRows(shown, rowsOf('c', 'd', 'e'))).toMatchObject({ more: 2, fewer: 2 })
    expect(stableRows(shown, shown)).toMatchObject({ more: 0, fewer: 0 })
  })

  test('are undefined while loading', () => {
    expect(stableRows(undefined, undefined)).toEqual({ rows: undefined, more: 0, fewer: 0 })
  })
})

describe('new rows', () => {
  const snapshot = { listKey: 'due', settled: true, rows: rowsOf('a') }
  const read = { ...snapshot, rows: rowsOf('b') }

  test('replace the shown ones while not frozen', () => {
    expect(mayReplace(snapshot, read, false)).toBe(true)
    expect(mayReplace(snapshot, snapshot, false)).toBe(false)
  })

  test('wait while frozen', () => {
    expect(mayReplace(snapshot, read, true)).toBe(false)
  })

  test('of another list never wait, nor does its first result', () => {
    expect(mayReplace(snapshot, { ...read, listKey: 'failed' }, true)).toBe(true)
    const unsettled = { ...snapshot, settled: false }
    expect(mayReplace(unsettled, read, true)).toBe(true)
    expect(mayReplace(unsettled, snapshot, true)).toBe(true)
    expect(mayReplace(unsettled, unsettled, true)).toBe(false)
  })
})
