/** What `verify` can be told; every option has a default. */
export interface VerifyOptions {
  /**
   * What the names of the three signature headers begin with, in any case.
   * Use `webhook-` for senders that follow Standard Webhooks to the letter, as Posthorn does when its
   * `POSTHORN_HEADER_PREFIX` says so.
   *
   * @default 'wh-'
   */
  readonly headerPrefix?: string | undefined
  /**
   * The time to compare `wh-timestamp` with, or a function that tells it. Give the time when the request
   * arrived if you verify it later, say from a queue; or a fixed time in a test.
   * The 300 seconds of tolerance either way are not an option.
   *
   * @default the current time
   */
  readonly now?: Date | (() => Date) | undefined
}

/** The options with their defaults applied; throws for what would otherwise be silently ignored. */
export function readOptions(options: VerifyOptions) {
  for (const name of Object.keys(options)) {
    if (name !== 'headerPrefix' && name !== 'now') {
      throw new TypeError(
        `Unknown option ${JSON.stringify(name)}; the options are headerPrefix and now.`,
      )
    }
  }
  const { headerPrefix = 'wh-', now = new Date() } = options
  return {
    names: {
      id: `${headerPrefix}id`.toLowerCase(),
      timestamp: `${headerPrefix}timestamp`.toLowerCase(),
      signature: `${headerPrefix}signature`.toLowerCase(),
    },
    nowSeconds: toUnixSeconds(typeof now === 'function' ? now() : now, 'The option now'),
  }
}

/** Whole seconds. Refuses an invalid date: compared with `NaN`, every timestamp would pass as fresh. */
export function toUnixSeconds(date: Date, what: string): number {
  const seconds = typeof date?.getTime === 'function' ? Math.floor(date.getTime() / 1000) : NaN
  if (Number.isNaN(seconds)) throw new TypeError(`${what} must be a valid Date.`)
  return seconds
}
