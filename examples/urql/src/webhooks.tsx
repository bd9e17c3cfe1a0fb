import { useState } from 'react'
import { useQuery } from 'urql'
import { Loading } from '../../shared/react/start.tsx'
import { WebhookCard, WebhookList } from '../../shared/react/webhook-list.tsx'
import { Webhooks as Query } from './documents.ts'
import type { WebhookRowFragment } from './generated/graphql.ts'

export function Webhooks({ onEdit }: { onEdit: (webhook: WebhookRowFragment) => void }) {
  const [after, setAfter] = useState<string | null>(null)
  const [{ data, error }] = useQuery({ query: Query, variables: { after } })
  if (error) throw error
  if (!data) return <Loading />
  const { nodes, pageInfo } = data.webhooks
  return (
    <WebhookList
      isEmpty={nodes.length === 0}
      onMore={pageInfo.hasNextPage ? () => setAfter(pageInfo.endCursor) : null}
    >
      {nodes.map((webhook) => (
        <WebhookCard key={webhook.id} webhook={webhook} onEdit={() => onEdit(webhook)} />
      ))}
    </WebhookList>
  )
}
