import { graphql, useFragment, useLazyLoadQuery, usePaginationFragment } from 'react-relay'
import { WebhookCard, WebhookList } from '../../shared/react/webhook-list.tsx'
import type { webhooks_list$key } from './__generated__/webhooks_list.graphql.ts'
import type { webhooks_row$data, webhooks_row$key } from './__generated__/webhooks_row.graphql.ts'
import type { webhooksQuery } from './__generated__/webhooksQuery.graphql.ts'

export type EditedWebhook = webhooks_row$data

/** The key of the list in the store. */
export const CONNECTION = 'webhooks_webhooks'

interface WebhooksProps {
  readonly onEdit: (webhook: EditedWebhook) => void
}

export function Webhooks({ onEdit }: WebhooksProps) {
  const query = useLazyLoadQuery<webhooksQuery>(
    graphql`
      query webhooksQuery {
        ...webhooks_list
      }
    `,
    {},
  )
  return <Pages list={query} onEdit={onEdit} />
}

function Pages({ list, onEdit }: WebhooksProps & { list: webhooks_list$key }) {
  const { data, hasNext, loadNext } = usePaginationFragment(
    graphql`
      fragment webhooks_list on Query
      @throwOnFieldError
      @refetchable(queryName: "webhooksNextPageQuery")
      @argumentDefinitions(
        first: { type: "Int", defaultValue: 20 }
        after: { type: "String" }
      ) {
        webhooks(first: $first, after: $after) @connection(key: "webhooks_webhooks") {
          edges {
            node {
              id
              ...webhooks_row
            }
          }
        }
      }
    `,
    list,
  )
  const { edges } = data.webhooks
  return (
    <WebhookList isEmpty={edges.length === 0} onMore={hasNext ? () => loadNext(20) : null}>
      {edges.map(({ node }) => (
        <Row key={node.id} row={node} onEdit={onEdit} />
      ))}
    </WebhookList>
  )
}

function Row({ row, onEdit }: WebhooksProps & { row: webhooks_row$key }) {
  const webhook = useFragment(
    graphql`
      fragment webhooks_row on Webhook @throwOnFieldError {
        id
        url
        description
        enabled
        eventSubscriptions { name }
        health {
          state
        }
        lastFailure {
          status
          error
          recordedAt
        }
        backlog {
          count
        }
      }
    `,
    row,
  )
  return <WebhookCard webhook={webhook} onEdit={() => onEdit(webhook)} />
}
