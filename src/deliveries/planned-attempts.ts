interface Planned {
  readonly nextAttemptAt: Date | null
  /** The attempts of the retry schedule so far. */
  readonly schedulePosition: number
}

/** The times of the attempts that follow if each of them fails at once, without jitter. */
export function plannedAttempts(
  { nextAttemptAt, schedulePosition }: Planned,
  scheduleMs: readonly number[],
): Date[] {
  if (nextAttemptAt === null) return []
  const times = [nextAttemptAt]
  for (const delayMs of scheduleMs.slice(schedulePosition)) {
    times.push(new Date((times.at(-1) ?? nextAttemptAt).getTime() + delayMs))
  }
  return times
}
