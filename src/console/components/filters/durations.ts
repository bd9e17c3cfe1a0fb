import { optionsOf } from './list-param.ts'

/** Durations of slow attempts, in milliseconds. */
export const DURATIONS = optionsOf({
  1000: '1 s or more',
  5000: '5 s or more',
  10000: '10 s or more',
})

export function readDuration(value: string | null): { minDurationMs?: number } {
  return DURATIONS.some((duration) => duration.value === value)
    ? { minDurationMs: Number(value) }
    : {}
}
