import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'

/** A page of the console, of a reader of its own, and everything that went wrong behind it. */
export interface Visit extends AsyncDisposable {
  readonly page: Page
  /** Errors in the browser's console, refused by the policy, thrown, or sent to another origin. */
  readonly troubles: readonly string[]
  /** What is expected to go wrong from now on, such as requests to a server that is away. */
  expectTroubles(pattern: RegExp): void
}

export interface VisitOptions extends BrowserContextOptions {
  /** The origins that may be asked. */
  readonly origins: readonly string[]
  /** Where the reader is signed in already, and with which key. */
  readonly signedInTo?: { readonly url: string; readonly token: string }
}

/** Opens a page. When the visit ends, it fails if anything went wrong that was not expected. */
export async function visit(browser: Browser, options: VisitOptions): Promise<Visit> {
  const { origins, signedInTo, ...context } = options
  const reader = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    locale: 'en-GB',
    reducedMotion: 'reduce',
    timezoneId: 'Europe/Berlin',
    permissions: ['clipboard-read', 'clipboard-write'],
    ...context,
  })
  reader.setDefaultTimeout(15_000)
  if (signedInTo) await signIn(reader, signedInTo)
  const page = await reader.newPage()
  const troubles: string[] = []
  let expected: RegExp | null = null
  const note = (trouble: string) => {
    if (!expected?.test(trouble)) troubles.push(trouble)
  }
  // Of all that goes wrong in the browser, a violation of the Content-Security-Policy included.
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
    troubles,
    expectTroubles(pattern) {
      expected = pattern
    },
    async [Symbol.asyncDispose]() {
      await reader.close()
      if (troubles.length > 0) throw new Error(`Behind the page:\n${troubles.join('\n')}`)
    },
  }
}

/** As the form does it; the cookie is the browser's. */
async function signIn(
  reader: BrowserContext,
  { url, token }: NonNullable<VisitOptions['signedInTo']>,
): Promise<void> {
  const response = await reader.request.post(`${url}/console/session`, { data: { token } })
  if (!response.ok()) throw new Error(`Not signed in: ${await response.text()}`)
}
