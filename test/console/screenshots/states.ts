import type { Page, Route } from 'playwright-core'
import type { SeededServer } from '../seed.ts'
import type { ConsolePage } from '../support/pages.ts'
import { waitUntilLoaded } from '../support/sign-in.ts'

export type State = 'full' | 'empty' | 'loading' | 'failing' | 'offline'

interface StateSteps {
  /** The address of a page in this state. Null if the page cannot be in it. */
  addressOf(page: ConsolePage): string | null
  arrange(page: Page): Promise<void>
  /** Waits until the page shows its state. */
  settle(page: Page): Promise<void>
}

/** How to bring every page of a server into a state. */
export function stateOf(state: State, seed: SeededServer): StateSteps {
  const inConsole = ({ path }: ConsolePage) => `/console${path}`
  if (state === 'full') {
    return { addressOf: inConsole, arrange: async () => {}, settle: waitUntilLoaded }
  }
  if (state === 'empty') {
    const organization = `/console/as/${seed.otherOrganizationId}`
    return {
      addressOf: ({ route, path }) =>
        route.includes(':') ? null : `${organization}${path.split('?')[0]}`,
      arrange: async () => {},
      settle: waitUntilLoaded,
    }
  }
  return {
    addressOf: inConsole,
    async arrange(page) {
      await page.route('**/graphql', (route) =>
        isViewer(route) ? route.continue() : ANSWERS[state](route),
      )
    },
    settle: (page) => page.waitForTimeout(1_200),
  }
}

/** Of all requests but that for the viewer. */
const ANSWERS: Record<Exclude<State, 'full' | 'empty'>, (route: Route) => Promise<void> | void> = {
  loading: () => {},
  failing: (route) =>
    route.fulfill({
      contentType: 'application/graphql-response+json',
      json: { errors: [{ message: 'Posthorn had an internal error. Its log has the details.' }] },
    }),
  offline: (route) => route.abort('connectionrefused'),
}

const isViewer = (route: Route) => route.request().postDataJSON()?.operationName === 'Viewer'
