import { useState } from 'react'
import { useClient } from 'urql'
import { Loading } from '../../shared/react/start.tsx'
import { useFollow } from '../../shared/react/use-follow.ts'
import { WebhookCard, WebhookList } from '../../shared/react/webhook-list.tsx'
import type { Session } from '../../shared/session.ts'
import { Webhooks as Query, WebhookHealthChanged } from './documents.ts'
import type { WebhookRowFragment } from './generated/graphql.ts'
import { stream } from './stream.ts'
import { useData } from './use-data.ts'

export interface WebhooksProps {
  readonly session: Session
  readonly onEdit: (webhook: WebhookRowFragment) => void
}

/** The cache takes the health of a webhook from each change by itself. */
export function Webhooks({ session, onEdit }: WebhooksProps) {
  const client = useClient()
  const [pages, setPages] = useState<readonly (string | null)[]>([null])
  const data = useData({ query: Query, variables: { after: pages.at(-1) } })
  const readPage = (after: string | null) =>
    client.query(Query, { after }, { requestPolicy: 'network-only' }).toPromise()
  useFollow({
    session,
    after: null,
    reload: () => Promise.all(pages.map(readPage)),
    subscribe: (_after, sink) =>
      stream(client, WebhookHealthChanged, {}, sink, () => sink.received(null)),
  })
  if (!data) return <Loading />
  const { nodes, pageInfo } = data.webhooks
  return (
    <WebhookList
      isEmpty={nodes.length === 0}
      onMore={pageInfo.hasNextPage ? () => setPages([...pages, pageInfo.endCursor]) : null}
    >
      {nodes.map((webhook) => (
        <WebhookCard key={webhook.id} webhook={webhook} onEdit={() => onEdit(webhook)} />
      ))}
    </WebhookList>
  )
}
