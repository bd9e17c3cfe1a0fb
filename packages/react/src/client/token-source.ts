/** The token of the page. All calls share it, and share its renewal. */
export interface TokenSource {
  /** The token, which is requested first if there is none. */
  current(): Promise<string>
  /** Another token than `rejected`. Calls that fail with the same token request one together. */
  renew(rejected: Promise<string>): Promise<string>
  /** The next call requests another token than `rejected`. */
  drop(rejected: Promise<string>): void
}

export function createTokenSource(getToken: () => string | Promise<string>): TokenSource {
  let latest: Promise<string> | null = null

  function request(): Promise<string> {
    const requested = Promise.resolve().then(getToken).then(checkToken)
    latest = requested
    // A failure is not kept: the next call tries again.
    requested.catch(() => drop(requested))
    return requested
  }
  function drop(rejected: Promise<string>) {
    if (latest === rejected) latest = null
  }

  return {
    current: () => latest ?? request(),
    renew: (rejected) => (latest === null || latest === rejected ? request() : latest),
    drop,
  }
}

/** A host without types may return something else, such as undefined after a failed request. */
function checkToken(token: unknown): string {
  if (typeof token === 'string' && token !== '') return token
  throw new Error(
    'getToken returned no token. It must return the token of a frontend session: phs_….',
  )
}
