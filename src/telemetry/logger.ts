import { pino } from 'pino'
import type { LogLevel } from '../config.ts'

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
      serializers: { error: pino.stdSerializers.err },
    },
    pino.destination({ fd: 2, sync: true }),
  )
}
