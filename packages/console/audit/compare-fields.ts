/** One changed field. `before` or `after` is undefined where the field did not exist. */
export interface FieldChange {
  /** `retryScheduleSeconds`, `headers.x-token` */
  readonly field: string
  readonly before: unknown
  readonly after: unknown
}

/**
 * The fields that differ between two states of an object. Nested objects are compared field by field, lists as a
 * whole.
 */
export function compareFields(before: unknown, after: unknown): FieldChange[] {
  const changes: FieldChange[] = []

  function compare(then: unknown, now: unknown, field: string) {
    if (JSON.stringify(then) === JSON.stringify(now)) return
    const isWhole = field === ''
    if (!isWhole && !(isObject(then) && isObject(now))) {
      changes.push({ field, before: then, after: now })
      return
    }
    for (const name of new Set([...namesOf(then), ...namesOf(now)])) {
      compare(fieldOf(then, name), fieldOf(now, name), isWhole ? name : `${field}.${name}`)
    }
  }

  compare(before ?? undefined, after ?? undefined, '')
  return changes
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const namesOf = (object: unknown) => (isObject(object) ? Object.keys(object) : [])
const fieldOf = (object: unknown, name: string) => (isObject(object) ? object[name] : undefined)
