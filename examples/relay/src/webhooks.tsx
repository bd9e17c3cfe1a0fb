import {
  graphql,
  useFragment,
  useLazyLoadQuery,
  usePaginationFragment,
  useRelayEnvironment,
} from 'react-relay'
import { fetchQuery, requestSubscription } from 'relay-runtime'
import { useFollow } from '../../shared/react/use-follow.ts'
import { WebhookCard, WebhookList } from '../../shared/react/webhook-list.tsx'
import type { Session } from '../../shared/session.ts'
import type { StreamError } from '../../shared/sse.ts'
import type { webhooks_list$key } from './__generated__/webhooks_list.graphql.ts'
import type { webhooks_row$data, webhooks_row$key } from './__generated__/webhooks_row.graphql.ts'
import type { webhooksHealthChangedSubscription } from './__generated__/webhooksHealthChangedSubscription.graphql.ts'
import type { webhooksQuery } from './__generated__/webhooksQuery.graphql.ts'

export type EditedWebhook = webhooks_row$data

/** The key of the list in the store. */
export const CONNECTION = 'webhooks_webhooks'

const Query = graphql`
  query webhooksQuery {
    ...webhooks_list
  }
`

/** Each change of the state of a webhook. It follows an attempt by seconds, or has none, as when a webhook is disabled. */
const HealthChanged = graphql`
  subscription webhooksHealthChangedSubscription {
    webhookHealthChanged {
      webhook {
        ...webhooks_row
      }
    }
  }
`

interface WebhooksProps {
  readonly onEdit: (webhook: EditedWebhook) => void
}

/** The store takes the health of a webhook from each change by itself. */
export function Webhooks({ session, onEdit }: WebhooksProps & { session: Session }) {
  const environment = useRelayEnvironment()
  const query = useLazyLoadQuery<webhooksQuery>(Query, {})
  useFollow({
    session,
    after: null,
    reload: () => fetchQuery<webhooksQuery>(environment, Query, {}).toPromise(),
    subscribe(_after, { connected, received, lost }) {
      const stream = requestSubscription<webhooksHealthChangedSubscription>(environment, {
        subscription: HealthChanged,
        variables: {},
        cacheConfig: { metadata: { connected } },
        onNext: () => received(null),
        onError: (error) => lost((error as StreamError).code),
        onCompleted: () => lost(),
      })
      return () => stream.dispose()
    },
  })
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
