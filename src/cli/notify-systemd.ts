import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Logger } from '../telemetry/logger.ts'

/**
 * Tells systemd the state of a service of `Type=notify`. Does nothing if systemd did not start this process.
 * `NOTIFY_SOCKET` is a datagram socket, which Node does not have, so systemd's own program writes to it, and the unit needs
 * `NotifyAccess=all`.
 * https://www.freedesktop.org/software/systemd/man/latest/sd_notify.html
 */
export async function notifySystemd(state: 'READY=1' | 'STOPPING=1', logger: Logger) {
  if (!process.env['NOTIFY_SOCKET']) return
  try {
    await promisify(execFile)('systemd-notify', [state])
  } catch (error) {
    logger.warn({ error, state }, 'systemd-notify failed, so systemd does not know this state')
  }
}
