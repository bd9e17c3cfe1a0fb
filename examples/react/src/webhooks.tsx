import { useEffect, useState } from 'react'
import { useClient } from 'urql'
import { Webhooks as Query, WebhookHealthChanged } from './documents.ts'
import { follow } from './follow.ts'
import type { WebhooksQuery } from './generated/graphql.ts'

/** The webhooks with their health, read again after each change of a state. */
export function Webhooks() {
  const client = useClient()
  const [webhooks, show] = useState<WebhooksQuery['webhooks']['nodes']>()
  useEffect(() => {
    async function read() {
      const { data, error } = await client.query(Query, {}, { requestPolicy: 'network-only' })
      // What is shown stays if it cannot be read again.
      if (data && !error) show(data.webhooks.nodes)
    }
    const follower = { variables: () => ({}), connected: read, next: read }
    return follow(client, WebhookHealthChanged, follower)
  }, [client])
  return (
    <section aria-label="Webhooks">
      <h2>Webhooks</h2>
      {webhooks?.length === 0 && <p>No webhook yet.</p>}
      <ul>
        {webhooks?.map(({ id, url, health, backlog }) => (
          <li key={id}>
            <h3>{url}</h3>
            {health.state}. {health.lastError} Waiting: {backlog.count}
          </li>
        ))}
      </ul>
    </section>
  )
}
