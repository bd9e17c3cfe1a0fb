import { locale } from '../language/language.ts'
import { t } from '../language/t.ts'
import { maskUrl } from './mask-url.ts'
import { timeZone, zonedFormat } from './time-zone.ts'

const count = new Intl.NumberFormat(locale)
const compact = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 })
const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 })
const dateTime = zonedFormat({
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
})
const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' })

export const formatCount = (value: number) => count.format(value)
export const formatCompact = (value: number) => compact.format(value)

/** The words after a number: `plural(1, 'attempt', 'attempts')`. */
export const plural = (value: number, one: string, other: string) => (value === 1 ? one : other)

/** A number with its words: `2 attempts`. */
export const counted = (value: number, one: string, other: string) =>
  `${formatCount(value)} ${plural(value, one, other)}`

const elapsed = {
  day: unitFormat('day'),
  hour: unitFormat('hour'),
  minute: unitFormat('minute'),
  second: unitFormat('second'),
}

function unitFormat(unit: string): Intl.NumberFormat {
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'short' })
}

/** Formats a ratio from 0 to 1. A ratio below 1 never rounds up to 100 %. */
export function formatPercent(ratio: number): string {
  return percent.format(ratio < 1 ? Math.min(ratio, 0.999) : 1)
}

/** `31 Jan 2026, 12:00:00`, followed by `UTC` if times are shown in UTC. */
export const formatDateTime = (at: string | Date) =>
  timeZone() === 'utc' ? `${dateTime(at)} UTC` : dateTime(at)

/** `2026-01-31 12:00:00.000 UTC` */
export function formatUtc(at: string | Date): string {
  return `${new Date(at).toISOString().replace('T', ' ').replace('Z', '')} UTC`
}

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const

/** `5 min. ago`, `in 2 hr`: without a dot at the end, as it can end a sentence. */
export function formatRelative(at: string | Date, nowMs: number): string {
  const differenceMs = new Date(at).getTime() - nowMs
  const [unit, unitMs] = UNITS.find(([, ms]) => Math.abs(differenceMs) >= ms) ?? ['second', 1_000]
  return relative.format(Math.trunc(differenceMs / unitMs), unit).replace(/\.$/, '')
}

/** A time that has passed, never in the future: a live time can be newer than the clock of the page. */
export function formatAgo(at: string | Date, nowMs: number): string {
  return formatRelative(at, Math.max(nowMs, new Date(at).getTime()))
}

/** A time to come, never in the past: a planned time passes before its event, and the clock of the page can be fast. */
export function formatUpcoming(at: string | Date, nowMs: number): string {
  return formatRelative(at, Math.min(nowMs, new Date(at).getTime()))
}

/** `34 sec`, `5 min`, `2 hr`: the time from `at` to now, in its largest whole unit, without a dot at the end. */
export function formatElapsed(at: string | Date, nowMs: number): string {
  const elapsedMs = Math.max(0, nowMs - new Date(at).getTime())
  const [unit, unitMs] = UNITS.find(([, ms]) => elapsedMs >= ms) ?? ['second', 1_000]
  return elapsed[unit].format(Math.trunc(elapsedMs / unitMs)).replace(/\.$/, '')
}

/** `340 ms`, `1.2 s`, `5 min`, `2 h 30 min` */
export function formatDuration(ms: number): string {
  if (Math.round(ms) < 1_000) return t('{count} ms', { count: decimal(ms, 0) })
  const seconds = Math.round(ms / 100) / 10
  if (seconds < 60) return t('{count} s', { count: decimal(seconds, 1) })
  const minutes = Math.round(ms / 60_000)
  if (minutes < 60) return t('{count} min', { count: minutes })
  const count = Math.floor(minutes / 60)
  const rest = minutes % 60
  return rest === 0 ? t('{count} h', { count }) : t('{count} h {rest} min', { count, rest })
}

export const formatBytes = (bytes: number) =>
  bytes < 1_024 ? `${bytes} B` : `${decimal(bytes / 1_024, 1)} KiB`

function decimal(value: number, maximumFractionDigits: number): string {
  return value.toLocaleString(locale, { maximumFractionDigits, useGrouping: false })
}

/** A webhook's URL without `https://`, which all of them share, and without credentials. */
export const hostAndPath = (url: string) => maskUrl(url).replace(/^https:\/\//, '')
