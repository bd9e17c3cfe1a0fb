import { request } from './client'
import { graphql, useFragment } from './graphql'

const WebhookRow = graphql(`
  fragment WebhookRow on Webhook {
    id
    url
    createdAt
    health(window: DAY) { state successRate lastError }
    deliveries(first: 1) { nodes { state } }
  }
`)

const WebhookList = graphql(`
  query WebhookList($after: String) {
    webhooks(first: 20, after: $after) {
      nodes { ...WebhookRow }
      pageInfo { hasNextPage endCursor }
    }
  }
`)

export async function webhookRows(): Promise<string[]> {
  const { webhooks } = await request(WebhookList, { after: null })
  // Not one `?.`: null would have been an error.
  return webhooks.nodes.map((node) => {
    const { url, createdAt, health, deliveries } = useFragment(WebhookRow, node)
    const newest = deliveries.nodes[0]?.state ?? 'no deliveries'
    return `${url}: ${health.state}, ${newest}, since ${new Date(createdAt).toLocaleDateString()}`
  })
}

const FormErrors = graphql(`
  fragment FormErrors on UserError {
    code
    message
    ... on ValidationError { issues { path message } }
  }
`)

const ChangeUrl = graphql(`
  mutation ChangeUrl($id: ID!, $input: UpdateWebhookInput!) {
    updateWebhook(id: $id, input: $input) {
      __typename
      ... on UpdateWebhookSuccess { webhook { ...WebhookRow } }
      ...FormErrors
    }
  }
`)

/** The messages of a form, by the name of the field. Empty: saved. */
export async function changeUrl(id: string, url: string): Promise<Record<string, string>> {
  const { updateWebhook } = await request(ChangeUrl, { id, input: { url } })
  if (updateWebhook.__typename === 'UpdateWebhookSuccess') return {}
  const errors = useFragment(FormErrors, updateWebhook)
  if (!('issues' in errors)) return { form: errors.message }
  return Object.fromEntries(errors.issues.map(({ path, message }) => [path[0] ?? 'form', message]))
}
