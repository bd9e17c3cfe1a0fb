import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { endWithBench } from './children.ts'

/** A script of this folder in a process of its own, so that neither its memory nor its processor time is another's. */
export interface Apart extends AsyncDisposable {
  /** Runs one of the functions that the script gave to `answerParent`. */
  call<Output>(name: string, input?: object): Promise<Output>
}

interface Question {
  readonly number: number
  readonly name: string
  readonly input: object
}

interface Answer {
  readonly number: number
  readonly output?: unknown
  readonly error?: string
}

export function startApart(script: string): Apart {
  const child = endWithBench(fork(fileURLToPath(new URL(script, import.meta.url))))
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  const exited = once(child, 'exit').then(() => {
    for (const { reject } of waiting.values()) reject(new Error(`${script} ended too early.`))
  })
  child.on('message', ({ number, output, error }: Answer) => {
    const caller = waiting.get(number)
    waiting.delete(number)
    if (error === undefined) caller?.resolve(output)
    else caller?.reject(new Error(`${script}: ${error}`))
  })
  let asked = 0
  return {
    async call<Output>(name: string, input: object = {}) {
      const number = asked++
      const caller = Promise.withResolvers<unknown>()
      waiting.set(number, caller)
      child.send({ number, name, input } satisfies Question)
      return (await caller.promise) as Output
    },
    async [Symbol.asyncDispose]() {
      if (child.connected) child.disconnect()
      await exited
    },
  }
}

/** The other side: answers calls until the parent is gone. */
export function answerParent(
  functions: Readonly<Record<string, (input: never) => unknown | Promise<unknown>>>,
): void {
  process.on('message', async ({ number, name, input }: Question) => {
    const answer: Answer = await Promise.resolve()
      .then(() => functions[name]?.(input as never))
      .then(
        (output) => ({ number, output }),
        (error) => ({ number, error: String(error?.stack ?? error) }),
      )
    if (process.connected) process.send?.(answer)
  })
  process.on('disconnect', () => process.exit())
}
