import { useApolloClient, useQuery } from '@apollo/client/react'
import { AttemptLog } from '../../shared/react/attempt-log.tsx'
import { Loading } from '../../shared/react/start.tsx'
import { useFollow } from '../../shared/react/use-follow.ts'
import type { Session } from '../../shared/session.ts'
import { AttemptRecorded, Attempts as Query } from './documents.ts'
import type { AttemptRowFragment } from './generated/graphql.ts'
import { stream } from './stream.ts'

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

/** The cache takes what an attempt brings of its webhook by itself. */
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
    subscribe: (after, sink) =>
      stream(client, AttemptRecorded, { after }, sink, ({ attemptRecorded: attempt }) => {
        if (!attempt) return
        sink.received(attempt.id)
        add(attempt)
      }),
  })
  return <AttemptLog state={state} attempts={attempts} />
}
