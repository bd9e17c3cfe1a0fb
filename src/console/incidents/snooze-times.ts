import { t } from '../language/t.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** The usual times until which an incident is snoozed. Tomorrow is that of the reader. */
export function snoozeTimes(now: Date): readonly { readonly label: string; readonly at: Date }[] {
  const tomorrow = new Date(now)
  tomorrow.setDate(now.getDate() + 1)
  tomorrow.setHours(9, 0, 0, 0)
  return [
    { label: t('Snooze for an hour'), at: new Date(now.getTime() + HOUR_MS) },
    { label: t('Snooze until tomorrow, 9:00'), at: tomorrow },
    { label: t('Snooze for a week'), at: new Date(now.getTime() + 7 * DAY_MS) },
  ]
}
