import { t } from '../../strings/t.ts'

/** Durations of slow attempts, in milliseconds. */
export const DURATIONS = (['1000', '5000', '10000'] as const).map((value) => ({
  value,
  label: t(`filters:durations.${value}`),
}))

export function readDuration(value: string | null): { minDurationMs?: number } {
  return DURATIONS.some((duration) => duration.value === value)
    ? { minDurationMs: Number(value) }
    : {}
}
