import type { ChildProcess } from 'node:child_process'

/** What a program has printed so far. */
export function collectOutput(child: ChildProcess): {
  readonly stdout: string
  readonly stderr: string
} {
  const output = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]?.setEncoding('utf8').on('data', (chunk) => {
      output[stream] += chunk
    })
  }
  return output
}
