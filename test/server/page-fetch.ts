/** What a page learns from `fetch`: the response with the headers it may read. Throws what a browser throws. */
export type PageFetch = (url: string, init?: PageRequest) => Promise<Response>

interface PageRequest {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** `include` sends the cookies of the other origin. */
  readonly credentials?: 'same-origin' | 'include'
}

const SAFE_METHODS = ['GET', 'HEAD', 'POST']
const SAFE_TYPES = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']
const SAFE_HEADERS = ['accept', 'accept-language', 'content-language']

/** `fetch` in a page of `origin`, by the CORS protocol of the Fetch standard (https://fetch.spec.whatwg.org/#cors-protocol). */
export function fetchOfPage(origin: string, cookie: string | null = null): PageFetch {
  return async (url, { method = 'GET', headers = {}, body, credentials = 'same-origin' } = {}) => {
    const browser = { origin, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' }
    const unsafe = Object.keys(headers)
      .map((name) => name.toLowerCase())
      .filter((name) => !isSafe(name, headers[name] ?? ''))
      .toSorted()
    if (unsafe.length > 0 || !SAFE_METHODS.includes(method)) {
      const preflight = await fetch(url, {
        method: 'OPTIONS',
        headers: {
          ...browser,
          'access-control-request-method': method,
          'access-control-request-headers': unsafe.join(','),
        },
      })
      requireAllowed(preflight, origin, credentials)
      if (!preflight.ok) throw new TypeError(`The preflight has status ${preflight.status}.`)
      const allowed = listOf(preflight, 'access-control-allow-headers')
      const denied = unsafe.filter((name) => !allowed.includes(name))
      if (denied.length > 0) throw new TypeError(`The preflight denies ${denied.join(', ')}.`)
    }
    const sent = credentials === 'include' && cookie !== null ? { cookie } : {}
    const response = await fetch(url, {
      method,
      headers: { ...headers, ...browser, ...sent },
      ...(body !== undefined && { body }),
    })
    requireAllowed(response, origin, credentials)
    const readable = ['content-type', ...listOf(response, 'access-control-expose-headers')]
    const shown = [...response.headers].filter(([name]) => readable.includes(name))
    return new Response(response.body, { status: response.status, headers: shown })
  }
}

function isSafe(name: string, value: string): boolean {
  if (name === 'content-type') return SAFE_TYPES.includes(value.split(';')[0] ?? '')
  // https://fetch.spec.whatwg.org/#cors-safelisted-request-header
  return SAFE_HEADERS.includes(name) && !/["():<>?@[\\\]{}\x7f]/.test(value) && value.length <= 128
}

function requireAllowed({ headers }: Response, origin: string, credentials: string): void {
  const allowed = headers.get('access-control-allow-origin')
  if (allowed !== origin) throw new TypeError(`The response allows ${allowed}, not ${origin}.`)
  const withCookies = headers.get('access-control-allow-credentials') === 'true'
  if (credentials === 'include' && !withCookies) throw new TypeError('No credentials are allowed.')
}

function listOf({ headers }: Response, name: string): string[] {
  return (headers.get(name) ?? '').split(',').map((item) => item.trim().toLowerCase())
}
