import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startTestApp, testEnvironment } from '../support/app.ts'
import { type PosthornProcess, startPosthorn } from '../support/posthorn-process.ts'
import { startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'

/** A receiver, the API, and workers in processes of their own, which a test can kill. */
export async function openWorkerProcesses(environment: Readonly<Record<string, string>> = {}) {
  const receiver = await startReceiver()
  const directory = await mkdtemp(path.join(tmpdir(), 'posthorn workers '))
  const authority = path.join(directory, 'ca.pem')
  await writeFile(authority, receiver.authority)
  const api = await startTestApp({ role: 'api' })
  const started: PosthornProcess[] = []
  const running: PosthornProcess[] = []

  function start(
    args: readonly string[] = ['start', '--role', 'worker'],
    given: Readonly<Record<string, string>> = {},
  ): PosthornProcess {
    const own = { POSTHORN_EGRESS_CA_FILE: authority, ...environment, ...given }
    const worker = startPosthorn(args, {
      environment: { ...testEnvironment(api.database.url), ...own },
    })
    started.push(worker)
    running.push(worker)
    return worker
  }

  async function stop(): Promise<void> {
    await Promise.all(running.splice(0).map((worker) => worker[Symbol.asyncDispose]()))
  }

  return {
    receiver,
    api,
    /** All workers, killed ones too. */
    started,
    start,

    /** Kills a worker at some random parts of a work, and starts another one each time. */
    async killAtRandom(
      times: number,
      hasReached: (part: number) => Promise<boolean>,
      afterKill: () => Promise<void> = async () => {},
    ): Promise<void> {
      const parts = Array.from({ length: times }, () => Math.random() * 0.9)
      for (const part of parts.sort((a, b) => a - b)) {
        await until(() => hasReached(part), `${Math.round(part * 100)} % are done`, 120_000)
        const [killed] = running.splice(Math.floor(Math.random() * running.length), 1)
        killed?.child.kill('SIGKILL')
        start()
        await afterKill()
      }
    },

    stop,

    async [Symbol.asyncDispose](): Promise<void> {
      await stop()
      await api[Symbol.asyncDispose]()
      await receiver[Symbol.asyncDispose]()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

export type WorkerProcesses = Awaited<ReturnType<typeof openWorkerProcesses>>
