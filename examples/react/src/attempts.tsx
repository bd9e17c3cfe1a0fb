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
    /** What a stream lacks is in the list: the first stream, and one that opens again with another session. */
    async function read() {
      const { data } = await client.query(Query, {}, { requestPolicy: 'network-only' })
      if (!data) return
      const { nodes } = data.attempts
      // The stream may have brought newer ones meanwhile.
      last ??= nodes[0]?.id ?? null
      show((shown) => newestFirst([...nodes, ...shown]))
    }
    return follow(client, AttemptRecorded, {
      variables: () => ({ after: last }),
      async connected() {
        await read()
        setLive(true)
      },
      next({ attemptRecorded: attempt }) {
        if (!attempt) return
        last = attempt.id
        // A resumed stream sends some attempts again.
        show((shown) => newestFirst([attempt, ...shown]))
      },
      lost(code) {
        setLive(false)
        if (code !== 'RELOAD_REQUIRED') return
        last = null
        show([])
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

/** Each once. Ids sort by the time of the attempt. */
function newestFirst(attempts: readonly AttemptRowFragment[]): AttemptRowFragment[] {
  const byId = new Map(attempts.map((attempt) => [attempt.id, attempt]))
  return [...byId.values()].sort((a, b) => (a.id < b.id ? 1 : -1))
}
