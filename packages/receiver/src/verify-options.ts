/** The options of `verify`. An unknown option is a `TypeError`. */
export interface VerifyOptions {
  /**
   * The prefix of the three signature headers and of `wh-test`, in upper or lower case. Use `webhook-` for other senders that follow
   * Standard Webhooks, or the value of `POSTHORN_HEADER_PREFIX` if the Posthorn server sets it.
   *
   * @default 'wh-'
   */
  readonly headerPrefix?: string | undefined
  /**
   * The time to compare `wh-timestamp` with, or a function that returns it. Pass the time of arrival if you verify
   * later, for example from a queue, or a fixed time in a test. The tolerance is always 300 seconds in both directions
   * (webhook contract, section 8). An invalid `Date` is a `TypeError`.
   *
   * @default the current time
   */
  readonly now?: Date | (() => Date) | undefined
}

/** Applies the defaults. */
export function parseOptions(options: VerifyOptions) {
  rejectUnknownOptions(options, ['headerPrefix', 'now'])
  const { headerPrefix = 'wh-', now = new Date() } = options
  return {
    names: {
      id: `${headerPrefix}id`.toLowerCase(),
      timestamp: `${headerPrefix}timestamp`.toLowerCase(),
      signature: `${headerPrefix}signature`.toLowerCase(),
      test: `${headerPrefix}test`.toLowerCase(),
    },
    nowSeconds: toUnixSeconds(typeof now === 'function' ? now() : now, 'The option now'),
  }
}

/** Throws for unknown options, which would otherwise be ignored silently. */
export function rejectUnknownOptions(options: object, known: readonly string[]): void {
  const unknown = Object.keys(options).find((name) => !known.includes(name))
  if (unknown === undefined) return
  const [last, ...others] = known.toReversed()
  throw new TypeError(
    `Unknown option ${JSON.stringify(unknown)}; the options are ${others.toReversed().join(', ')} and ${last}.`,
  )
}

/** Whole seconds. Throws for an invalid date, because no timestamp compares as too old or too new with `NaN`. */
export function toUnixSeconds(date: Date, what: string): number {
  const seconds = typeof date?.getTime === 'function' ? Math.floor(date.getTime() / 1000) : NaN
  if (Number.isNaN(seconds)) throw new TypeError(`${what} must be a valid Date.`)
  return seconds
}
