import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core'

export type Visit = Awaited<ReturnType<typeof visit>>

export interface VisitOptions extends BrowserContextOptions {
  /** The origins that the page may request. */
  readonly origins: readonly string[]
  /** Signs in to this server with this API key. */
  readonly signedInTo?: { readonly url: string; readonly token: string }
}

/** Opens a page in a context of its own. Disposing it fails the test if an unexpected error occurred. */
export async function visit(browser: Browser, options: VisitOptions) {
  const { origins, signedInTo, ...context } = options
  const reader = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    locale: 'en-GB',
    reducedMotion: 'reduce',
    timezoneId: 'Europe/Berlin',
    permissions: ['clipboard-read', 'clipboard-write'],
    ...context,
  })
  // Only for pages that hang: on a busy machine a page takes long.
  reader.setDefaultTimeout(60_000)
  if (signedInTo) await signIn(reader, signedInTo)
  const page = await reader.newPage()
  const pageErrors: string[] = []
  let expected: RegExp | null = null
  const note = (message: string) => {
    if (!expected?.test(message)) pageErrors.push(message)
  }
  // Includes violations of the Content-Security-Policy.
  page.on('console', (message) => {
    if (message.type() === 'error') note(`console: ${message.text()} (${message.location().url})`)
  })
  page.on('pageerror', (error) => note(`thrown: ${error.message}`))
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url())
    if (/^https?:$/.test(protocol) && !origins.includes(origin)) note(`asked: ${request.url()}`)
  })
  return {
    page,
    /** Console errors, policy violations, exceptions, and requests to other origins. */
    pageErrors: pageErrors as readonly string[],
    /** Ignores errors that match from now on, such as failed requests to a stopped server. */
    expectPageErrors(pattern: RegExp) {
      expected = pattern
    },
    async [Symbol.asyncDispose]() {
      await reader.close()
      if (pageErrors.length > 0) throw new Error(`Behind the page:\n${pageErrors.join('\n')}`)
    },
  }
}

/** Signs in as the form does. The browser keeps the cookie. */
async function signIn(
  reader: BrowserContext,
  { url, token }: NonNullable<VisitOptions['signedInTo']>,
): Promise<void> {
  const response = await reader.request.post(`${url}/console/session`, { data: { token } })
  if (!response.ok()) throw new Error(`Not signed in: ${await response.text()}`)
}
