import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'
import { findProgram } from '../support/installed-program.ts'

const execute = promisify(execFile)

/** The image below Posthorn's. Another one is for machines that reach no registry. */
export const BASE_IMAGE = process.env['POSTHORN_TEST_BASE_IMAGE'] ?? 'node:24-slim'

/** A container engine of this machine that runs images. */
export interface Engine {
  readonly name: string
  /** Builds an image from a Dockerfile and its context. */
  build(image: string, file: string, context: string): Promise<void>
  /** The user, the entry point and the signal of an image. */
  inspect(image: string): Promise<ImageConfig>
  /** Runs a container on the network of this machine. */
  run(image: string, args: readonly string[], options?: RunOptions): Promise<RunningContainer>
  remove(image: string): Promise<void>
}

export interface ImageConfig {
  readonly User: string
  readonly Entrypoint: readonly string[]
  readonly StopSignal: string
}

export interface RunOptions {
  /** Options of `docker run`. */
  readonly restrictions?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
}

export interface RunningContainer extends AsyncDisposable {
  readonly output: string
  readonly ended: Promise<number | null>
  /** Sends SIGTERM, as an engine does to stop a container. */
  stop(): void
}

/** Docker, Podman or Buildah, the first that can run the base; otherwise why there is none. */
export async function findEngine(): Promise<Engine | string> {
  let reason = 'no container engine is installed (apt-get install podman)'
  for (const engine of [likeDocker('docker'), likeDocker('podman'), BUILDAH]) {
    if (findProgram(engine.name) === undefined) continue
    try {
      await using container = await engine.run(BASE_IMAGE, ['node', '--version'])
      if ((await container.ended) === 0) return engine
      throw new Error(container.output)
    } catch (error) {
      const [line] = (error as Error).message.trim().split('\n').slice(-1)
      reason = `${engine.name} cannot run ${BASE_IMAGE}, or POSTHORN_TEST_BASE_IMAGE: ${line}`
    }
  }
  return reason
}

function likeDocker(name: string): Engine {
  return {
    name,
    build: async (image, file, context) =>
      void (await execute(name, ['build', ...buildOptions(image, file), context])),
    async inspect(image) {
      const { stdout } = await execute(name, ['image', 'inspect', image])
      return JSON.parse(stdout)[0].Config
    },
    async run(image, args, { restrictions = [], environment = {} } = {}) {
      const options = ['--rm', '--network', 'host', ...restrictions, ...variables(environment)]
      const child = spawn(name, ['run', ...options, image, ...args])
      // The program passes the signal on.
      return runningContainer(child, () => child.kill('SIGTERM'))
    },
    remove: async (image) => void (await execute(name, ['image', 'rm', '--force', image])),
  }
}

/** It builds where Docker and Podman cannot run, and runs without most restrictions. */
const BUILDAH: Engine = {
  name: 'buildah',
  build: async (image, file, context) =>
    void (await buildah('build', '--isolation', 'chroot', ...buildOptions(image, file), context)),
  inspect: async (image) =>
    JSON.parse(await buildah('inspect', '--type', 'image', image)).OCIv1.config,
  async run(image, args, { environment = {} } = {}) {
    const container = (await buildah('from', image)).trim()
    const { Entrypoint = [] } = await BUILDAH.inspect(image)
    const options = ['--isolation', 'chroot', ...variables(environment)]
    const command = [container, '--', ...Entrypoint, ...args]
    const child = spawn('buildah', ['run', ...options, ...command], { detached: true })
    return runningContainer(
      child,
      // It does not pass the signal on.
      () => process.kill(-(child.pid as number), 'SIGTERM'),
      () => buildah('rm', container),
    )
  },
  remove: async (image) => void (await buildah('rmi', '--force', image)),
}

const buildah = async (...args: string[]) => (await execute('buildah', args)).stdout

const buildOptions = (image: string, file: string) => [
  ...['--file', file, '--tag', image, '--build-arg', `BASE_IMAGE=${BASE_IMAGE}`],
]

const variables = (environment: Readonly<Record<string, string>>) =>
  Object.entries(environment).flatMap(([name, value]) => ['--env', `${name}=${value}`])

function runningContainer(
  child: ChildProcess,
  stop: () => void,
  remove?: () => Promise<unknown>,
): RunningContainer {
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      output += chunk
    })
  }
  const ended = once(child, 'close').then(([code]) => code)
  return {
    get output() {
      return output
    },
    ended,
    stop,
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) stop()
      await ended
      await remove?.()
    },
  }
}
