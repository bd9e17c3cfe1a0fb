import type { Role } from '../../src/config/settings.ts'
import { freePort } from '../support/free-port.ts'
import { type PosthornProcess, startPosthorn } from '../support/posthorn-process.ts'
import { until } from '../support/until.ts'
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts'

/** Maximum attempts in flight in one process. */
const CONCURRENCY = 50

/** The attempts of one process that a fault can repeat: those in flight, and as many that are answered but not recorded. */
export const IN_FLIGHT = 2 * CONCURRENCY

/** A process says so in one line of text, and ends. A process that has started writes lines of JSON. */
const STARTED_WITHOUT_POSTGRES = /^error: .*Postgres/m

/** A process that has not ended by then after SIGTERM is killed, which counts as a failure. */
const ENDS_WITHIN_MS = 20_000

/** A Posthorn process at one address, through all its restarts. */
export interface Member extends AsyncDisposable {
  readonly name: string
  readonly role: Role
  readonly url: string
  readonly pid: number
  /** Whether the last started process is running. */
  readonly runs: boolean
  /** The stderr of all its processes. */
  readonly log: string
  /** The network between it and Postgres. */
  readonly network: TcpProxy
  start(): void
  kill(): Promise<void>
  /** Sends SIGTERM and waits for the exit. Throws if the exit code is not 0. */
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
  const network = await startTcpProxy(databaseUrl)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const processes: PosthornProcess[] = []
  const current = () => processes.at(-1) as PosthornProcess
  let isDisposed = false

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
        DATABASE_URL: network.url,
      }
      const started = startPosthorn(['start', '--role', role], {
        environment: { ...environment, ...own },
      })
      processes.push(started)
      // What a supervisor of processes does.
      started.ended.then(() => {
        if (isDisposed || started !== current() || !STARTED_WITHOUT_POSTGRES.test(started.stderr))
          return
        processes.pop()
        member.start()
      })
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
        throw new Error(`${name} ended with ${code} on SIGTERM. Its last log lines:\n${written}`)
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
      isDisposed = true
      if (member.runs) await ended('SIGKILL')
      await network[Symbol.asyncDispose]()
    },
  }
  member.start()
  await until(() => member.isReady(), `${name} is ready`, 60_000).catch(async (error) => {
    await member[Symbol.asyncDispose]()
    throw new Error(`${error.message} Its log: ${member.log.slice(-2_000)}`)
  })
  return member
}

export function inFlightOf(members: readonly Member[]): number {
  return workersOf(members).length * IN_FLIGHT
}

export function workersOf(members: readonly Member[]): Member[] {
  return members.filter(({ role }) => role !== 'api')
}

export function apiOf(members: readonly Member[]): Member {
  return members.find(({ role }) => role !== 'worker') as Member
}
