import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Query, SeenDelivery } from './receiver-process.ts'

/** The receiver of the suite, in its own process. */
export interface CountingReceiver extends AsyncDisposable {
  readonly url: string
  /** The authority to trust, as PEM. */
  readonly authority: string
  /** All deliveries that arrived, by `wh-id`. */
  seen(): Promise<Map<string, SeenDelivery>>
  /** The number of deliveries that arrived. */
  count(): Promise<number>
  /** The number of an event's deliveries that arrived. */
  countOf(event: number): Promise<number>
}

export async function startCountingReceiver(seed: number): Promise<CountingReceiver> {
  const program = fileURLToPath(new URL('receiver-process.ts', import.meta.url))
  const child: ChildProcess = fork(program, [String(seed)], { execArgv: [] })
  const [{ url, authority }] = await once(child, 'message')
  let last: Promise<unknown> = Promise.resolve()

  /** Sends one query at a time, as answers do not name their query. */
  function ask<Answer>(query: Query): Promise<Answer> {
    const answer = last.then(async () => {
      child.send(query)
      const [message] = await once(child, 'message')
      return message as Answer
    })
    last = answer.catch(() => {})
    return answer
  }

  return {
    url,
    authority,
    seen: async () => new Map(await ask<[string, SeenDelivery][]>('all')),
    count: () => ask<number>('count'),
    countOf: (event) => ask<number>({ event }),
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.disconnect()
      await once(child, 'exit')
    },
  }
}
