/** Durations of slow attempts, in milliseconds. */
const LABELS = {
  1000: '1 s or more',
  5000: '5 s or more',
  10000: '10 s or more',
}

export const DURATIONS = (['1000', '5000', '10000'] as const).map((value) => ({
  value,
  label: LABELS[value],
}))

export function readDuration(value: string | null): { minDurationMs?: number } {
  return DURATIONS.some((duration) => duration.value === value)
    ? { minDurationMs: Number(value) }
    : {}
}
