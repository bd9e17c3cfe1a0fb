import type { GraphiQLOptions } from 'graphql-yoga'

/** The query that the editor shows first. It works with every API key. */
const EXAMPLE = `# Paste an API key into "Headers" below, then press Ctrl-Enter.
# The key that was printed at the first start has all scopes.

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

/** GraphiQL at `/graphql`. The page loads scripts and styles from unpkg.com and its icon from GitHub. */
export const graphiqlOptions: GraphiQLOptions = {
  title: 'Posthorn',
  defaultQuery: EXAMPLE,
  headers: JSON.stringify({ authorization: 'Bearer phk_…' }, null, 2),
  // The browser must not store an API key.
  shouldPersistHeaders: false,
}
