import { describe, expect, test } from 'vitest'
import { mayReplace, steadyRows } from '../../../src/console/jobs/use-steady-rows.ts'

const rowsOf = (...ids: string[]) => ids.map((id) => ({ id, state: 'now' }))

describe('rows that are held', () => {
  const shown = ['a', 'b', 'c'].map((id) => ({ id, state: 'before' }))

  test('stay in their order, change in place, and say when they are gone', () => {
    expect(steadyRows(shown, rowsOf('c', 'a', 'd')).rows).toEqual([
      { id: 'a', state: 'now', left: false },
      { id: 'b', state: 'before', left: true },
      { id: 'c', state: 'now', left: false },
    ])
  })

  test('count what is not shown and what is no longer there', () => {
    expect(steadyRows(shown, rowsOf('c', 'd', 'e'))).toMatchObject({ more: 2, fewer: 2 })
    expect(steadyRows(shown, shown)).toMatchObject({ more: 0, fewer: 0 })
  })

  test('are none while nothing is read yet', () => {
    expect(steadyRows(undefined, undefined)).toEqual({ rows: undefined, more: 0, fewer: 0 })
  })
})

describe('other rows', () => {
  const kept = { listKey: 'due', settled: true, rows: rowsOf('a') }
  const read = { ...kept, rows: rowsOf('b') }

  test('take their place while nobody is at work', () => {
    expect(mayReplace(kept, read, false)).toBe(true)
    expect(mayReplace(kept, kept, false)).toBe(false)
  })

  test('wait while somebody is', () => {
    expect(mayReplace(kept, read, true)).toBe(false)
  })

  test('of another list never wait, nor the first that are really of it', () => {
    expect(mayReplace(kept, { ...read, listKey: 'failed' }, true)).toBe(true)
    const unsettled = { ...kept, settled: false }
    expect(mayReplace(unsettled, read, true)).toBe(true)
    expect(mayReplace(unsettled, kept, true)).toBe(true)
    expect(mayReplace(unsettled, unsettled, true)).toBe(false)
  })
})
