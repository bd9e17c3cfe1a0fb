import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { until } from './until.ts'

export type MemoryGroup = Awaited<ReturnType<typeof createMemoryGroup>>

/** The files of a group, in one of the two versions of the interface. */
interface Files {
  readonly parent: string
  readonly limit: string
  /** Only on a machine that counts swap. */
  readonly swapLimit: string
  readonly swapLimitFor: (limitBytes: number) => number
  readonly events: string
}

/** https://docs.kernel.org/admin-guide/cgroup-v2.html */
const VERSION_2: Files = {
  parent: '/sys/fs/cgroup',
  limit: 'memory.max',
  swapLimit: 'memory.swap.max',
  swapLimitFor: () => 0,
  events: 'memory.events',
}

/** https://docs.kernel.org/admin-guide/cgroup-v1/memory.html */
const VERSION_1: Files = {
  parent: '/sys/fs/cgroup/memory',
  limit: 'memory.limit_in_bytes',
  // Of memory and swap together.
  swapLimit: 'memory.memsw.limit_in_bytes',
  swapLimitFor: (limitBytes) => limitBytes,
  events: 'memory.oom_control',
}

/** Why this process can create no such group, or null. */
export async function whyNoMemoryGroup(): Promise<string | null> {
  try {
    await using _group = await createMemoryGroup(2 ** 30)
    return null
  } catch (error) {
    return `the memory of processes cannot be limited here: ${(error as Error).message}`
  }
}

/**
 * A control group, with which Linux bounds the memory of some processes, as it does that of a container. Only root can
 * create one, and only where the control groups of the machine can be written.
 */
export async function createMemoryGroup(limitBytes: number) {
  const files = await usedFiles()
  const folder = path.join(files.parent, `posthorn-${process.pid}-${performance.now()}`)
  await mkdir(folder)
  const read = (file: string) => readFile(path.join(folder, file), 'utf8')
  // Without this flag, a missing file would be created, which fails with another code.
  const write = (file: string, value: number) =>
    writeFile(path.join(folder, file), `${value}`, { flag: 'r+' })
  await write(files.limit, limitBytes)
  await write(files.swapLimit, files.swapLimitFor(limitBytes)).catch((error) => {
    if (error.code !== 'ENOENT') throw error
  })
  return {
    /** Moves a process here. The processes that it starts from now on are here, too. */
    add: (pid: number) => write('cgroup.procs', pid),
    /** How many of its processes Linux has killed, because they needed more. */
    killedCount: async () => Number(/^oom_kill (\d+)$/m.exec(await read(files.events))?.[1]),
    async [Symbol.asyncDispose]() {
      await until(async () => (await read('cgroup.procs')) === '', 'all processes have ended')
      await rmdir(folder)
    },
  }
}

async function usedFiles(): Promise<Files> {
  const controllers = await readFile('/sys/fs/cgroup/cgroup.controllers', 'utf8').catch(() => '')
  if (controllers.split(/\s/).includes('memory')) {
    await writeFile('/sys/fs/cgroup/cgroup.subtree_control', '+memory')
    return VERSION_2
  }
  // Below the group of this process, whose own limits hold for these processes, too.
  const own = /^\d+:memory:(.*)$/m.exec(await readFile('/proc/self/cgroup', 'utf8'))?.[1] ?? ''
  return { ...VERSION_1, parent: path.join(VERSION_1.parent, own) }
}
