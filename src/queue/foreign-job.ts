/** A job that Posthorn did not add: its key or payload does not name what its task needs. */
export class ForeignJobError extends Error {
  override readonly name = 'ForeignJobError'
  /** The cause is not in Posthorn, and graphile-worker would log the stack. */
  override readonly stack = ''

  /** `field` is `key`, or a field of the payload. */
  constructor(field: string, value: unknown, example: string) {
    const found = JSON.stringify(value ?? null).slice(0, MAX_SHOWN)
    super(
      `The job has the ${field} ${found}, which is not an id such as ${example}. Another program may have added it: complete the job.`,
    )
  }
}

const MAX_SHOWN = 100
