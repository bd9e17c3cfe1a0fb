import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type RunningCommand, startCommand } from '../../cli/run-command.ts'
import { until } from '../../support/until.ts'

// biome-ignore lint/suspicious/noExplicitAny: a line of JSON of the command
type Printed = any

export interface ForwardOptions {
  readonly server: string
  readonly key: string
  readonly args?: readonly string[]
}

/** Starts the command. It is not ready yet. */
export function startForwardCommand(
  localUrl: string,
  { server, key, args = [] }: ForwardOptions,
): RunningCommand {
  const folder = mkdtempSync(path.join(tmpdir(), 'posthorn-forward-'))
  const command = startCommand(['listen', '--forward', localUrl, '--server', server, ...args], {
    ...{ POSTHORN_DATA_DIR: folder, POSTHORN_API_KEY: key },
  })
  void command.ended.then(() => rmSync(folder, { recursive: true, force: true }))
  return command
}

/** Starts the command with --json, and waits until it receives deliveries. */
export async function forward(localUrl: string, options: ForwardOptions) {
  const args = ['--json', ...(options.args ?? [])]
  const command = startForwardCommand(localUrl, { ...options, args })
  await until(() => command.stderr.includes('Ready.'), 'the command is ready')
  const [, secret = ''] = /WEBHOOK_SECRET=(whsec_\S+)$/m.exec(command.stderr) ?? []
  return {
    ...{ process: command, secret },
    /** Resolves to the nth delivery that the command printed, counted from 1. */
    async printed(number: number): Promise<Printed> {
      const lines = () => command.stdout.split('\n').slice(0, -1)
      await until(() => lines().length >= number, `the command prints delivery ${number}`)
      return JSON.parse(lines()[number - 1] as string)
    },
    async [Symbol.asyncDispose]() {
      command.kill('SIGINT')
      await command.ended
    },
  }
}
