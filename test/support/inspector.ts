import { once } from 'node:events'
import type { PosthornProcess } from './posthorn-process.ts'
import { until } from './until.ts'

export type Inspector = Awaited<ReturnType<typeof openInspector>>

/** The inspector of a process that was started with `--inspect=127.0.0.1:0`, which sees its main thread. */
export async function openInspector(posthorn: PosthornProcess) {
  const address = /ws:\/\/\S+/
  await until(() => address.test(posthorn.stderr), 'the inspector listens')
  const socket = new WebSocket(address.exec(posthorn.stderr)?.[0] as string)
  await once(socket, 'open')
  const waiting: PromiseWithResolvers<unknown>[] = []
  // biome-ignore lint/suspicious/noExplicitAny: the parameters depend on the event
  const events: any[] = []
  socket.onmessage = ({ data }) => {
    const { id, result, error, params } = JSON.parse(data)
    if (id === undefined) events.push(params)
    else if (error) waiting[id]?.reject(new Error(error.message))
    else waiting[id]?.resolve(result)
  }
  /** https://chromedevtools.github.io/devtools-protocol/v8/ */
  async function call<Result>(method: string, params: object = {}): Promise<Result> {
    const answer = Promise.withResolvers<unknown>()
    const id = waiting.push(answer) - 1
    socket.send(JSON.stringify({ id, method, params }))
    return (await answer.promise) as Result
  }
  return {
    call,
    /** The parameters of the events so far. */
    events,
    startSampling: () => call<object>('HeapProfiler.startSampling', SAMPLING),
    /** The bytes allocated since `startSampling`, also those that were freed. */
    async stopSampling(): Promise<number> {
      const { profile } = await call<{ profile: { head: Frame } }>('HeapProfiler.stopSampling')
      return sizeOf(profile.head)
    },
    /** From now on, code runs unoptimized. */
    async startCounting(): Promise<void> {
      await call('Profiler.enable')
      await call('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
    },
    /** How often each function was called since the last count, by the URL of its file and its place there. */
    async countCalls(): Promise<Map<string, number>> {
      const { result } = await call<{ result: Script[] }>('Profiler.takePreciseCoverage')
      const calls = result.flatMap(({ url, functions }) =>
        functions.map(
          ({ ranges: [range] }) => [`${url}:${range.startOffset}`, range.count] as const,
        ),
      )
      return new Map(calls.filter(([, count]) => count > 0))
    },
    [Symbol.dispose]: () => socket.close(),
  }
}

/** One of so many bytes is sampled, at random: of some megabytes, the sum is exact to a percent. */
const SAMPLING = {
  samplingInterval: 512,
  includeObjectsCollectedByMajorGC: true,
  includeObjectsCollectedByMinorGC: true,
}

interface Frame {
  readonly selfSize: number
  readonly children: readonly Frame[]
}

function sizeOf({ selfSize, children }: Frame): number {
  return children.reduce((sum, child) => sum + sizeOf(child), selfSize)
}

interface Script {
  readonly url: string
  readonly functions: readonly {
    readonly ranges: readonly [{ readonly startOffset: number; readonly count: number }]
  }[]
}
