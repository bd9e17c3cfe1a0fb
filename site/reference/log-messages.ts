import { LOG_EVENTS, type LogEvent } from '../../src/telemetry/log-events.ts'
import { anchor, code, page, prose, table } from './markdown.ts'

export function logMessagesPage(): string {
  const events = Object.entries(LOG_EVENTS)
  return page(
    '# Log messages',
    'Posthorn logs JSON lines on standard error, from [`POSTHORN_LOG_LEVEL`](settings.md#posthorn_log_level) upwards. Every line has `level`, `time` (UTC), `service` (`posthorn`) and `msg`, a text for people that can change. Lines that you may want to search or count have an `event`, which stays. Lines without one report the start, the end and faults of a process. [Operating](../operate/operating.md#logs) says what to make of them.',
    table(
      ['`event`', 'level', 'when'],
      events.map(([name, { level, when }]) => [
        `[${code(name)}](#${anchor(name)})`,
        level,
        prose(when),
      ]),
    ),
    ...events.map(([name, event]) => section(name, event)),
  )
}

function section(name: string, { level, when, fields }: LogEvent): string {
  return page(
    `## ${name}`,
    `${prose(when)} Level: ${level}.`,
    table(
      ['field', ''],
      Object.entries(fields).map(([field, text]) => [code(field), prose(text)]),
    ),
  ).trimEnd()
}
