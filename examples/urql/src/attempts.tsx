import { useClient, useQuery } from 'urql'
import { onEnd, pipe, subscribe } from 'wonka'
import { AttemptLog, useFollow } from '../../shared/react/attempt-log.tsx'
import { Loading } from '../../shared/react/start.tsx'
import type { Session } from '../../shared/session.ts'
import type { StreamError } from '../../shared/sse.ts'
import { AttemptRecorded, Attempts as Query } from './documents.ts'
import type { AttemptRowFragment } from './generated/graphql.ts'

export function Attempts({ session }: { session: Session }) {
  const [{ data, error }] = useQuery({ query: Query })
  if (error) throw error
  if (!data) return <Loading />
  return <LiveAttempts session={session} attempts={data.attempts.nodes} />
}

interface LiveAttemptsProps {
  readonly session: Session
  readonly attempts: readonly AttemptRowFragment[]
}

/** The cache adds each attempt to the list, and its webhook's health to the webhook. */
function LiveAttempts({ session, attempts }: LiveAttemptsProps) {
  const client = useClient()
  const state = useFollow({
    session,
    after: attempts[0]?.id ?? null,
    reload: () => client.query(Query, {}, { requestPolicy: 'network-only' }).toPromise(),
    subscribe: (after, { connected, received, lost }) =>
      pipe(
        client.subscription(AttemptRecorded, { after }, { connected }),
        onEnd(() => lost()),
        subscribe(({ data, error }) => {
          if (error) lost((error.networkError as StreamError | undefined)?.code)
          else if (data?.attemptRecorded) received(data.attemptRecorded.id)
        }),
      ).unsubscribe,
  })
  return <AttemptLog state={state} attempts={attempts} />
}
