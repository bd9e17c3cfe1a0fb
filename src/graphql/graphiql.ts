import type { GraphiQLOptions } from 'graphql-yoga'

/** What the editor shows at first: a query that every key may run, and where the key goes. */
const EXAMPLE = `# Paste an API key into "Headers" below, then press Ctrl-Enter.
# The key that was printed at the first start may do everything.

query Example {
  viewer {
    organization { id name }
    scopes
  }
  eventTypes { name description }
  webhooks(first: 10) {
    nodes {
      id
      url
      enabled
      deliveries(first: 3) {
        nodes { id state attemptCount nextAttemptAt }
      }
    }
  }
}
`

/** The page that a browser is shown at `/graphql`. Its scripts and styles come from unpkg.com, its icon from GitHub. */
export const graphiqlOptions: GraphiQLOptions = {
  title: 'Posthorn',
  defaultQuery: EXAMPLE,
  headers: JSON.stringify({ authorization: 'Bearer phk_…' }, null, 2),
  // A key must not stay behind in the browser.
  shouldPersistHeaders: false,
}
