import { useApolloClient, useQuery } from '@apollo/client/react'
import { Loading } from '../../shared/react/start.tsx'
import { useFollow } from '../../shared/react/use-follow.ts'
import { WebhookCard, WebhookList } from '../../shared/react/webhook-list.tsx'
import type { Session } from '../../shared/session.ts'
import { Webhooks as Query, WebhookHealthChanged } from './documents.ts'
import type { WebhookRowFragment } from './generated/graphql.ts'
import { stream } from './stream.ts'

export interface WebhooksProps {
  readonly session: Session
  readonly onEdit: (webhook: WebhookRowFragment) => void
}

/** The cache takes the health of a webhook from each change by itself. */
export function Webhooks({ session, onEdit }: WebhooksProps) {
  const client = useApolloClient()
  const { data, error, fetchMore } = useQuery(Query)
  useFollow({
    session,
    after: null,
    reload: () => client.query({ query: Query, fetchPolicy: 'network-only' }),
    subscribe: (_after, sink) =>
      stream(client, WebhookHealthChanged, {}, sink, () => sink.received(null)),
  })
  if (!data) {
    if (error) throw error
    return <Loading />
  }
  const { edges, pageInfo } = data.webhooks
  const more = () => fetchMore({ variables: { after: pageInfo.endCursor } })
  return (
    <WebhookList isEmpty={edges.length === 0} onMore={pageInfo.hasNextPage ? more : null}>
      {edges.map(({ node }) => (
        <WebhookCard key={node.id} webhook={node} onEdit={() => onEdit(node)} />
      ))}
    </WebhookList>
  )
}
