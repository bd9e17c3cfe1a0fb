import { useQuery } from '@apollo/client/react'
import { Loading } from '../../shared/react/start.tsx'
import { WebhookCard, WebhookList } from '../../shared/react/webhook-list.tsx'
import { Webhooks as Query } from './documents.ts'
import type { WebhookRowFragment } from './generated/graphql.ts'

export function Webhooks({ onEdit }: { onEdit: (webhook: WebhookRowFragment) => void }) {
  const { data, error, fetchMore } = useQuery(Query)
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
