import os from 'node:os'

const MEBIBYTE = 2 ** 20

/** With less, a process with its own Postgres needs more than there is, unless it does with less. */
const LITTLE_BELOW_MB = 640

/** Whether the machine, or the container of this process, has little memory. */
export function hasLittleMemory(): boolean {
  // 0 or a huge number without a limit.
  const limit = process.constrainedMemory() || Number.POSITIVE_INFINITY
  return Math.min(os.totalmem(), limit) < LITTLE_BELOW_MB * MEBIBYTE
}
