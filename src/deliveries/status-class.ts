/** The first digit of an HTTP status. 0: no response. */
export type StatusClass = 0 | 2 | 3 | 4 | 5

/** Whether the receiver answered an attempt with 2xx. */
export type Outcome = 'succeeded' | 'failed'

const CLASSES: Record<Outcome, readonly StatusClass[]> = {
  succeeded: [2],
  failed: [0, 3, 4, 5],
}

interface ClassFilter {
  readonly statusClasses?: readonly StatusClass[] | null | undefined
  readonly outcome?: Outcome | null | undefined
}

/** The status classes that match both conditions, each once. Null if there is no condition. */
export function statusClassesOf({ statusClasses, outcome }: ClassFilter): StatusClass[] | null {
  if (!outcome) return statusClasses ? [...new Set(statusClasses)] : null
  const ofOutcome = CLASSES[outcome]
  return statusClasses
    ? [...new Set(statusClasses)].filter((each) => ofOutcome.includes(each))
    : [...ofOutcome]
}
