import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

/** The resident memory of a process, in MB of 1,000,000 bytes. */
export interface Memory {
  now(): Promise<number>
  /** The maximum so far. */
  peak(): Promise<number>
  stop(): void
}

const SAMPLE_EVERY_MS = 250

/** Linux records the peak itself; on other platforms it is the highest sample. */
export function watchMemory(pid: number): Memory {
  const hasPeak = process.platform === 'linux'
  let highest = 0
  const sample = async () => {
    const residentMb = await residentMemory(pid)
    highest = Math.max(highest, residentMb)
    return residentMb
  }
  const timer = hasPeak ? undefined : setInterval(() => sample().catch(() => {}), SAMPLE_EVERY_MS)
  return {
    now: sample,
    async peak() {
      if (hasPeak) return await fromStatus(pid, 'VmHWM')
      await sample()
      return highest
    },
    stop: () => clearInterval(timer),
  }
}

async function residentMemory(pid: number): Promise<number> {
  if (process.platform === 'linux') return await fromStatus(pid, 'VmRSS')
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)])
  return (Number(stdout) * 1_024) / 1e6
}

/** https://man7.org/linux/man-pages/man5/proc_pid_status.5.html */
async function fromStatus(pid: number, field: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  const [, kibibytes] = new RegExp(`^${field}:\\s*(\\d+) kB$`, 'm').exec(status) ?? []
  return (Number(kibibytes) * 1_024) / 1e6
}
