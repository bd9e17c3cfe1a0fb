import { expect, test } from 'vitest'
import {
  formatAgo,
  formatBytes,
  formatDuration,
  formatElapsed,
  formatPercent,
  formatRelative,
  formatUpcoming,
} from '../../packages/console/lib/format.ts'

test.each([
  [0, '0 ms'],
  [339.6, '340 ms'],
  [1_200, '1.2 s'],
  [2_000, '2 s'],
  [300_000, '5 min'],
  [7_200_000, '2 h'],
  [9_000_000, '2 h 30 min'],
  [86_400_000, '24 h'],
  // Never 1,000 milliseconds, 60 seconds or 60 minutes.
  [999.9, '1 s'],
  [59_970, '1 min'],
  [3_599_000, '1 h'],
  [86_399_000, '24 h'],
])('%d ms is formatted as %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text)
})

test('a ratio below 1 is never shown as 100%', () => {
  expect(formatPercent(1)).toBe('100%')
  expect(formatPercent(0.99999)).toBe('99.9%')
  expect(formatPercent(0.5)).toBe('50%')
  expect(formatPercent(0)).toBe('0%')
})

test('a time that has passed is never in the future, a planned one never in the past, and an elapsed time never negative', () => {
  const nowMs = Date.parse('2026-01-31T12:00:00Z')
  const after = (ms: number) => new Date(nowMs + ms)
  expect(formatAgo(after(3_000), nowMs)).toBe(formatRelative(after(0), nowMs))
  expect(formatAgo(after(-60_000), nowMs)).toBe(formatRelative(after(-60_000), nowMs))
  expect(formatUpcoming(after(-60_000), nowMs)).toBe('now')
  expect(formatUpcoming(after(60_000), nowMs)).toBe(formatRelative(after(60_000), nowMs))
  const words = (unit: string) =>
    new Intl.NumberFormat('en', { style: 'unit', unit, unitDisplay: 'short' })
  expect(formatElapsed(after(3_000), nowMs)).toBe(words('second').format(0))
  expect(formatElapsed(after(-59_999), nowMs)).toBe(words('second').format(59))
  expect(formatElapsed(after(-7_200_000), nowMs)).toBe(words('hour').format(2))
})

test.each([
  [0, '0 B'],
  [1_023, '1023 B'],
  [1_024, '1 KiB'],
  [262_144, '256 KiB'],
  [1_536, '1.5 KiB'],
])('%d bytes are formatted as %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text)
})
