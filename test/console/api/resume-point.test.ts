import { expect, test } from 'vitest'
import { createResumePoint, resumeAfterAttempt } from '../../../src/console/api/resume-point.ts'

const item = (id: string) => ({ id, after: id })

test('a stream resumes after its last item, and drops the items that the server repeats', () => {
  const point = createResumePoint()
  expect(point.after).toBeNull()
  expect(['a', 'b'].map((id) => point.accept(item(id)))).toEqual([true, true])
  expect(point.after).toBe('b')
  expect(['a', 'b', 'c'].map((id) => point.accept(item(id)))).toEqual([false, false, true])
  expect(point.after).toBe('c')
})

test('a stream that was told to reload begins without `after`, and resumes after its next item', () => {
  const point = createResumePoint()
  point.accept(item('a'))
  point.forget()
  expect(point.after).toBeNull()
  expect([point.accept(item('a')), point.accept(item('b'))]).toEqual([false, true])
  expect(point.after).toBe('b')
})

test('10,000 items are recognized, and older ones are forgotten', () => {
  const point = createResumePoint()
  for (let i = 0; i <= 10_000; i++) point.accept(item(String(i)))
  expect(point.accept(item('1'))).toBe(false)
  expect(point.accept(item('0'))).toBe(true)
})

test('a stream resumes after the attempt, but not after one that was deleted', () => {
  expect(resumeAfterAttempt({ attemptRecorded: { id: 'att_1' } })).toEqual(item('att_1'))
  expect(resumeAfterAttempt({ attemptRecorded: null })).toBeNull()
})
