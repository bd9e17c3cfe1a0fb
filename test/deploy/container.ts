import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { collectOutput } from '../support/collect-output.ts'
import { whyMissing } from '../support/installed-program.ts'
import type { Image } from './dockerfile.ts'

/** Why nothing can be run as in a container, or null. */
export const NO_NAMESPACES = whyNot()

function whyNot(): string | null {
  if (process.getuid?.() !== 0) return 'what runs as in a container needs root'
  const missing = whyMissing('unshare') ?? whyMissing('setpriv')
  if (missing !== null) return missing
  const { status, stderr } = spawnSync('unshare', ['--mount', '--pid', '--fork', 'true'])
  return status === 0 ? null : `unshare fails: ${stderr}`
}

interface ContainerOptions {
  readonly environment: Readonly<Record<string, string>>
  /** Default: the command of the image. */
  readonly args?: readonly string[]
  /** A folder that is mounted at `/run/secrets/posthorn`. */
  readonly secrets: string
}

/** Runs an image as a container engine does: read-only, as its user, without any capability, as process 1. */
export function runContainer(image: Image, { environment, args, secrets }: ContainerOptions) {
  const [program, ...rest] = image.command(args)
  if (program !== 'node') throw new Error('The entry point is not Node.')
  const [user = '', group = ''] = image.user.split(':')
  const isolated = ['--mount', '--pid', '--fork', '--mount-proc', '--kill-child']
  const unprivileged = [
    ...['setpriv', '--reuid', user, '--regid', group, '--clear-groups', '--no-new-privs'],
    ...['--inh-caps=-all', '--bounding-set=-all'],
  ]
  const mounting = ['sh', '-ec', SCRIPT, 'sh', image.root, secrets, process.execPath]
  const child = spawn('unshare', [...isolated, ...mounting, ...unprivileged, NODE, ...rest], {
    env: { PATH: process.env['PATH'], ...image.environment, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = collectOutput(child)
  const ended = once(child, 'close').then(([code]) => code as number | null)
  /** As the machine sees it; in the container it is process 1. */
  const mainProcess = () => childOf(child)
  return {
    get stderr() {
      return output.stderr
    },
    /** The exit code. */
    ended,
    mainProcess,
    /** Sends a signal to the main process. */
    kill: async (signal: string) => void process.kill(await mainProcess(), signal),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** A copy, because a container sees neither `/tmp` nor the folders of a user. */
const NODE = '/run/node'

/** The engine mounts the files of the image; the rest of this machine stands for its base. Nothing can be written. */
const SCRIPT = `
  umask 022
  mount --make-rprivate /
  mount -t tmpfs tmpfs /opt
  for folder in "$1"/opt/*; do
    mkdir "/opt/$(basename "$folder")"
    mount --bind "$folder" "/opt/$(basename "$folder")"
    mount -o remount,ro,bind "/opt/$(basename "$folder")"
  done
  mount -t tmpfs tmpfs /run
  mkdir -p /run/secrets/posthorn
  mount --bind "$2" /run/secrets/posthorn
  install -m 755 "$3" ${NODE}
  for folder in /opt /run /tmp /var/tmp /dev/shm; do
    [ "$folder" = /opt ] || [ "$folder" = /run ] || mount -t tmpfs tmpfs "$folder"
    mount -o remount,ro "$folder"
  done
  mount -o remount,ro,bind /
  cd /
  shift 3
  exec "$@"`

const childOf = async ({ pid }: ChildProcess) =>
  Number((await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim())
