import { useApolloClient, useQuery } from '@apollo/client/react'
import { AttemptLog, useFollow } from '../../shared/react/attempt-log.tsx'
import { Loading } from '../../shared/react/start.tsx'
import type { Session } from '../../shared/session.ts'
import type { StreamError } from '../../shared/sse.ts'
import { AttemptRecorded, Attempts as Query } from './documents.ts'
import type { AttemptRowFragment } from './generated/graphql.ts'

export function Attempts({ session }: { session: Session }) {
  const { data, error } = useQuery(Query)
  if (!data) {
    if (error) throw error
    return <Loading />
  }
  return <LiveAttempts session={session} attempts={data.attempts.nodes} />
}

interface LiveAttemptsProps {
  readonly session: Session
  readonly attempts: readonly AttemptRowFragment[]
}

/** The cache takes the health of the webhook from each attempt by itself. */
function LiveAttempts({ session, attempts }: LiveAttemptsProps) {
  const client = useApolloClient()

  function add(attempt: AttemptRowFragment): void {
    client.cache.updateQuery({ query: Query }, (data) => {
      // A resumed stream sends some attempts again.
      if (!data || data.attempts.nodes.some(({ id }) => id === attempt.id)) return data
      return { ...data, attempts: { ...data.attempts, nodes: [attempt, ...data.attempts.nodes] } }
    })
  }

  const state = useFollow({
    session,
    after: attempts[0]?.id ?? null,
    reload: () => client.query({ query: Query, fetchPolicy: 'network-only' }),
    subscribe(after, { connected, received, lost }) {
      const stream = client
        .subscribe({ query: AttemptRecorded, variables: { after }, context: { connected } })
        .subscribe({
          next({ data, error }) {
            if (error) return lost((error as StreamError).code)
            if (!data?.attemptRecorded) return
            received(data.attemptRecorded.id)
            add(data.attemptRecorded)
          },
          complete: () => lost(),
        })
      return () => stream.unsubscribe()
    },
  })
  return <AttemptLog state={state} attempts={attempts} />
}
