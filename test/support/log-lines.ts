import type { PosthornProcess } from './posthorn-process.ts'
import { until } from './until.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test knows the fields of its line.
export type LogLine = Record<string, any>

/** What a process wrote, or a part of it. */
export type Log = Pick<PosthornProcess, 'stderr'>

/** The complete lines that a process has logged. */
export function logLines({ stderr }: Log): LogLine[] {
  const complete = stderr.slice(0, stderr.lastIndexOf('\n') + 1)
  return complete
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
}

/** Waits for a line with these fields, and returns it. By default as long as a process may take to start on a busy machine. */
export async function logLine(log: Log, fields: LogLine, timeoutMs?: number): Promise<LogLine> {
  const matches = (line: LogLine) =>
    Object.entries(fields).every(([name, value]) => line[name] === value)
  const find = () => logLines(log).find(matches)
  await until(find, `a log line with ${JSON.stringify(fields)}`, timeoutMs)
  return find() as LogLine
}
