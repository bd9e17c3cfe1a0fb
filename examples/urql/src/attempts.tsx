import { useClient } from 'urql'
import { AttemptLog } from '../../shared/react/attempt-log.tsx'
import { Loading } from '../../shared/react/start.tsx'
import { useFollow } from '../../shared/react/use-follow.ts'
import type { Session } from '../../shared/session.ts'
import { AttemptRecorded, Attempts as Query } from './documents.ts'
import type { AttemptRowFragment } from './generated/graphql.ts'
import { stream } from './stream.ts'
import { useData } from './use-data.ts'

export function Attempts({ session }: { session: Session }) {
  const data = useData({ query: Query })
  if (!data) return <Loading />
  return <LiveAttempts session={session} attempts={data.attempts.nodes} />
}

interface LiveAttemptsProps {
  readonly session: Session
  readonly attempts: readonly AttemptRowFragment[]
}

/** The cache adds each attempt to the list, and what it brings of its webhook to the webhook. */
function LiveAttempts({ session, attempts }: LiveAttemptsProps) {
  const client = useClient()
  const state = useFollow({
    session,
    after: attempts[0]?.id ?? null,
    reload: () => client.query(Query, {}, { requestPolicy: 'network-only' }).toPromise(),
    subscribe: (after, sink) =>
      stream(client, AttemptRecorded, { after }, sink, ({ attemptRecorded: attempt }) => {
        if (attempt) sink.received(attempt.id)
      }),
  })
  return <AttemptLog state={state} attempts={attempts} />
}
