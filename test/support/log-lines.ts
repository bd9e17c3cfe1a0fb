import type { PosthornProcess } from './posthorn-process.ts'
import { until } from './until.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test knows the fields of its line.
export type LogLine = Record<string, any>

/** The complete lines that a process has logged. */
export function logLines({ stderr }: PosthornProcess): LogLine[] {
  const complete = stderr.slice(0, stderr.lastIndexOf('\n') + 1)
  return complete
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
}

/** Waits for a line with these fields, and returns it. */
export async function logLine(
  posthorn: PosthornProcess,
  fields: LogLine,
  timeoutMs?: number,
): Promise<LogLine> {
  const matches = (line: LogLine) =>
    Object.entries(fields).every(([name, value]) => line[name] === value)
  const find = () => logLines(posthorn).find(matches)
  await until(find, `a log line with ${JSON.stringify(fields)}`, timeoutMs)
  return find() as LogLine
}
