import { pino } from 'pino'
import type { LogLevel } from '../config/config.ts'

export type Logger = Pick<
  pino.Logger,
  'isLevelEnabled' | 'debug' | 'info' | 'warn' | 'error' | 'fatal'
>

/** JSON lines on standard error, so that standard output stays for what a command prints. */
export function createLogger(level: LogLevel): Logger {
  return pino(
    {
      level,
      base: { service: 'posthorn' },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: describeError },
    },
    pino.destination({ fd: 2, sync: true }),
  )
}

/**
 * What an error says and where it comes from. What else a library hangs on it is not for logs: its connection, or the
 * row that was refused.
 */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { code } = error as { code?: unknown }
  const { type, message, stack } = pino.stdSerializers.err(error)
  return { type, message, ...(code !== undefined && { code }), stack }
}
