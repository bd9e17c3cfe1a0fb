import { escapeControls } from './escape-controls.ts'

/** Writes to stderr: stdout only contains deliveries. */
export function log(message: string): void {
  process.stderr.write(`${escapeControls(message)}\n`)
}
