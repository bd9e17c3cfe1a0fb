import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Seen } from './receiver-process.ts'

/** The receiver of the suite, in a process of its own. */
export interface CountingReceiver extends AsyncDisposable {
  readonly url: string
  /** The authority to trust, as PEM. */
  readonly authority: string
  /** Everything that arrived, by `wh-id`. */
  seen(): Promise<Map<string, Seen>>
  /** How many different deliveries have arrived. */
  count(): Promise<number>
  /** How many different deliveries of an event have arrived. */
  countOf(event: number): Promise<number>
}

export async function startCountingReceiver(seed: number): Promise<CountingReceiver> {
  const program = fileURLToPath(new URL('receiver-process.ts', import.meta.url))
  const child: ChildProcess = fork(program, [String(seed)], { execArgv: [] })
  const [{ url, authority }] = await once(child, 'message')
  let asked: Promise<unknown> = Promise.resolve()

  /** One question after the other, as answers bear no name. */
  function ask<Answer>(question: string | object): Promise<Answer> {
    const answer = asked.then(async () => {
      child.send(question)
      const [message] = await once(child, 'message')
      return message as Answer
    })
    asked = answer.catch(() => {})
    return answer
  }

  return {
    url,
    authority,
    seen: async () => new Map(await ask<[string, Seen][]>('all')),
    count: () => ask<number>('count'),
    countOf: (event) => ask<number>({ event }),
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.disconnect()
      await once(child, 'exit')
    },
  }
}
