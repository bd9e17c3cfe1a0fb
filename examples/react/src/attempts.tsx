import { useEffect, useState } from 'react'
import { useClient } from 'urql'
import { AttemptRecorded, Attempts as Query } from './documents.ts'
import { follow } from './follow.ts'
import type { AttemptRowFragment } from './generated/graphql.ts'

/** The newest attempts. A lost stream goes on after the last one that arrived. */
export function Attempts() {
  const client = useClient()
  const [isLive, setLive] = useState(false)
  const [attempts, show] = useState<readonly AttemptRowFragment[]>([])
  useEffect(() => {
    let last: string | null = null
    /** What a stream that does not go on after an attempt lacks is in the list. */
    async function read() {
      const { data } = await client.query(Query, {}, { requestPolicy: 'network-only' })
      if (!data) return
      last = data.attempts.nodes[0]?.id ?? null
      show(data.attempts.nodes)
    }
    return follow(client, AttemptRecorded, {
      variables: () => ({ after: last }),
      async connected() {
        if (last === null) await read()
        setLive(true)
      },
      next({ attemptRecorded: attempt }) {
        if (!attempt) return
        last = attempt.id
        // A resumed stream sends some attempts again.
        show((shown) => [attempt, ...shown.filter(({ id }) => id !== attempt.id)])
      },
      lost(code) {
        setLive(false)
        if (code === 'RELOAD_REQUIRED') last = null
      },
    })
  }, [client])

  return (
    <section aria-label="Deliveries">
      <h2>Deliveries</h2>
      <p role="status">{isLive ? 'Live' : 'Connecting…'}</p>
      <ul>
        {attempts.map(({ id, number, succeeded, status, error, recordedAt, webhook }) => (
          <li key={id} data-id={id}>
            {succeeded ? 'Delivered' : 'Failed'}: {error ?? `status ${status}`}, attempt {number} to{' '}
            {webhook?.url}, <time dateTime={recordedAt}>{recordedAt}</time>
          </li>
        ))}
      </ul>
    </section>
  )
}
