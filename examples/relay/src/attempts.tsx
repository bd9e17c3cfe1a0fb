import { graphql, useFragment, useLazyLoadQuery, useRelayEnvironment } from 'react-relay'
import { fetchQuery, requestSubscription } from 'relay-runtime'
import { AttemptLog } from '../../shared/react/attempt-log.tsx'
import { useFollow } from '../../shared/react/use-follow.ts'
import type { Session } from '../../shared/session.ts'
import type { StreamError } from '../../shared/sse.ts'
import type { attempts_rows$key } from './__generated__/attempts_rows.graphql.ts'
import type { attemptsQuery } from './__generated__/attemptsQuery.graphql.ts'
import type { attemptsRecordedSubscription } from './__generated__/attemptsRecordedSubscription.graphql.ts'

const Query = graphql`
  query attemptsQuery @throwOnFieldError {
    attempts(first: 50) @connection(key: "attempts_attempts") {
      __id
      edges {
        node {
          id
          ...attempts_rows
        }
      }
    }
  }
`

/** With the last failure and the backlog of the webhook, and the first state of a new one. The store adds the attempt to the list, once. */
const Recorded = graphql`
  subscription attemptsRecordedSubscription($after: ID, $connections: [ID!]!) {
    attemptRecorded(after: $after)
    @prependNode(connections: $connections, edgeTypeName: "AttemptEdge") {
      id
      ...attempts_rows
      webhook {
        ...webhooks_row
      }
    }
  }
`

export function Attempts({ session }: { session: Session }) {
  const environment = useRelayEnvironment()
  const { attempts } = useLazyLoadQuery<attemptsQuery>(Query, {})
  const rows = useFragment<attempts_rows$key>(
    graphql`
      fragment attempts_rows on Attempt @relay(plural: true) @throwOnFieldError {
        id
        number
        succeeded
        status
        error
        recordedAt
        webhook {
          url
        }
      }
    `,
    attempts.edges.map(({ node }) => node),
  )
  const state = useFollow({
    session,
    after: rows[0]?.id ?? null,
    reload: () => fetchQuery<attemptsQuery>(environment, Query, {}).toPromise(),
    subscribe(after, { connected, received, lost }) {
      const stream = requestSubscription<attemptsRecordedSubscription>(environment, {
        subscription: Recorded,
        variables: { after, connections: [attempts.__id] },
        cacheConfig: { metadata: { connected } },
        onNext: (data) => data?.attemptRecorded && received(data.attemptRecorded.id),
        onError: (error) => lost((error as StreamError).code),
        onCompleted: () => lost(),
      })
      return () => stream.dispose()
    },
  })
  return <AttemptLog state={state} attempts={rows} />
}
