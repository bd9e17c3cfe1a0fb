import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

interface Call {
  readonly number: number
  readonly name: string
  readonly input: object
}

interface Result {
  readonly number: number
  readonly output?: unknown
  readonly error?: string
}

/** A script, given relative to this folder, in a separate process, so that its memory and CPU time are measured separately. */
export function startScript(script: string) {
  const file = fileURLToPath(new URL(script, import.meta.url))
  const child = killWithBench(fork(file, { execArgv: [] }))
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  const exited = once(child, 'exit').then(() => {
    for (const { reject } of waiting.values()) reject(new Error(`${script} exited unexpectedly.`))
  })
  child.on('message', ({ number, output, error }: Result) => {
    const caller = waiting.get(number)
    waiting.delete(number)
    if (error === undefined) caller?.resolve(output)
    else caller?.reject(new Error(`${script}: ${error}`))
  })
  let callCount = 0
  return {
    /** Calls one of the functions that the script passed to `serveParent`. */
    async call<Output>(name: string, input: object = {}) {
      const number = callCount++
      const caller = Promise.withResolvers<unknown>()
      waiting.set(number, caller)
      child.send({ number, name, input } satisfies Call)
      return (await caller.promise) as Output
    },
    async [Symbol.asyncDispose]() {
      if (child.connected) child.disconnect()
      await exited
    },
  }
}

/** In the script: answers calls until the parent disconnects. */
export function serveParent(
  functions: Readonly<Record<string, (input: never) => unknown | Promise<unknown>>>,
): void {
  process.on('message', async ({ number, name, input }: Call) => {
    const result: Result = await Promise.resolve()
      .then(() => functions[name]?.(input as never))
      .then(
        (output) => ({ number, output }),
        (error) => ({ number, error: String(error?.stack ?? error) }),
      )
    if (process.connected) process.send?.(result)
  })
  process.on('disconnect', () => process.exit())
}

const running = new Set<ChildProcess>()

/** Registers a child process for `killChildren`. */
export function killWithBench<Child extends ChildProcess>(child: Child): Child {
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

/** Kills all child processes when the benchmark is aborted. */
export function killChildren(): void {
  for (const child of running) child.kill('SIGKILL')
}
