import { pino } from 'pino'
import type { LogLevel } from '../config/setting-parsers.ts'
import { excerpt } from '../lib/excerpt.ts'

export type Logger = Pick<
  pino.Logger,
  'isLevelEnabled' | 'debug' | 'info' | 'warn' | 'error' | 'fatal'
>

/** Logs JSON lines to stderr, because commands print their results to stdout. Calls `onLine` with the level of each. */
export function createLogger(level: LogLevel, onLine: (level: string) => void = () => {}): Logger {
  return pino(
    {
      level,
      base: { service: 'posthorn' },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: (error) => (error instanceof Error ? describeError(error) : error) },
      hooks: {
        logMethod(args, method, levelNumber) {
          onLine(pino.levels.labels[levelNumber] ?? '')
          method.apply(this, args)
        },
      },
    },
    pino.destination({ fd: 2, sync: true }),
  )
}

/** An error without its stack, for a line that strangers can cause. */
export function withoutStack(error: unknown): unknown {
  return error instanceof Error ? { ...describeError(error), stack: undefined } : error
}

const MAX_MESSAGE_LENGTH = 6_000
const MAX_STACK_LENGTH = 20_000

/** Leaves out other properties that libraries attach to errors, such as the connection or the rejected row. */
function describeError(error: Error) {
  const { code } = error as { code?: unknown }
  const { type, message, stack } = pino.stdSerializers.err(error)
  return {
    type,
    message: excerpt(message, MAX_MESSAGE_LENGTH),
    ...(code !== undefined && { code }),
    stack: excerpt(stack, MAX_STACK_LENGTH),
  }
}
