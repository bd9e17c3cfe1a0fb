import { once } from 'node:events'
import type { Role } from '../../src/config/settings.ts'
import { type PosthornProcess, startPosthorn } from '../support/posthorn-process.ts'
import { until } from '../support/until.ts'
import { freePort } from './own-postgres.ts'
import { type Relay, startRelay, throughRelay } from './relay.ts'

/** Attempts under way in one process at most. */
const CONCURRENCY = 50

/** What a fault of one process can double: attempts under way, and as many that were answered and not yet recorded. */
export const IN_FLIGHT = 2 * CONCURRENCY

/** A process that is asked to end and has not by then is killed, which counts as ending badly. */
const ENDS_WITHIN_MS = 20_000

/** A process of Posthorn at one address, over all its restarts. */
export interface Member extends AsyncDisposable {
  readonly name: string
  readonly role: Role
  readonly url: string
  readonly pid: number
  /** Whether the process that was started last still runs. */
  readonly runs: boolean
  /** All that its processes wrote to standard error. */
  readonly log: string
  /** The network between it and Postgres. */
  readonly network: Relay
  start(): void
  kill(): Promise<void>
  /** SIGTERM; resolves when it has ended. Throws when it did not end well. */
  terminate(): Promise<void>
  freezeFor(pauseMs: number): Promise<void>
  isReady(): Promise<boolean>
}

export async function startMember(
  name: string,
  role: Role,
  environment: Readonly<Record<string, string>>,
): Promise<Member> {
  const databaseUrl = environment['DATABASE_URL'] as string
  const network = await startRelay(Number(new URL(databaseUrl).port))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const processes: PosthornProcess[] = []
  const current = () => processes.at(-1) as PosthornProcess

  async function ended(signal: NodeJS.Signals): Promise<number | string> {
    current().child.kill(signal)
    return await current().ended
  }

  const member: Member = {
    name,
    role,
    url,
    get pid() {
      return current().child.pid as number
    },
    get runs() {
      const { exitCode, signalCode } = current().child
      return exitCode === null && signalCode === null
    },
    get log() {
      return processes.map(({ stderr }) => stderr).join('')
    },
    network,
    start() {
      const own = {
        PORT: String(port),
        POSTHORN_CONCURRENCY: String(CONCURRENCY),
        DATABASE_URL: throughRelay(databaseUrl, network),
      }
      processes.push(
        startPosthorn(['start', '--role', role], { environment: { ...environment, ...own } }),
      )
    },
    async kill() {
      await ended('SIGKILL')
    },
    async terminate() {
      const late = setTimeout(() => current().child.kill('SIGKILL'), ENDS_WITHIN_MS)
      const code = await ended('SIGTERM')
      clearTimeout(late)
      if (code !== 0) {
        const written = member.log.split('\n').slice(-10).join('\n')
        throw new Error(`${name} ended with ${code} on SIGTERM. It wrote last:\n${written}`)
      }
    },
    async freezeFor(pauseMs) {
      const { child } = current()
      child.kill('SIGSTOP')
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
      child.kill('SIGCONT')
    },
    async isReady() {
      const response = await fetch(`${url}/readyz`, {
        signal: AbortSignal.timeout(5_000),
      }).catch(() => null)
      await response?.body?.cancel()
      return response?.status === 200
    },
    async [Symbol.asyncDispose]() {
      if (member.runs) {
        const exit = once(current().child, 'exit')
        current().child.kill('SIGKILL')
        await exit
      }
      await network[Symbol.asyncDispose]()
    },
  }
  member.start()
  await until(() => member.isReady(), `${name} is ready`, 60_000).catch(async (error) => {
    await member[Symbol.asyncDispose]()
    throw new Error(`${error.message} It wrote: ${member.log.slice(-2_000)}`)
  })
  return member
}
