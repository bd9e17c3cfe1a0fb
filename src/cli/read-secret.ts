import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { readInput } from './read-input.ts'

/** The text of a file, or of standard input for `-`, without the line break at its end. */
export async function readSecretFile(option: string, file: string): Promise<string> {
  let text: string
  try {
    text = (await readInput(file)).toString()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new Error(`${option}: ${file} cannot be read (${code}).`)
  }
  const secret = text.replace(/\r?\n$/, '')
  if (secret === '') throw new Error(`${option}: ${file} is empty.`)
  return secret
}

/** Readline switches the echo of the terminal off and edits the line, here without showing it. */
export async function askSecret(prompt: string): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const terminal = createInterface({ input: process.stdin, output: silent, terminal: true })
  const canceled = new AbortController()
  terminal.on('SIGINT', () => canceled.abort())
  terminal.on('close', () => canceled.abort())
  process.stderr.write(prompt)
  try {
    return await terminal.question('', { signal: canceled.signal })
  } catch (error) {
    throw canceled.signal.aborted ? new Error('Canceled.') : error
  } finally {
    process.stderr.write('\n')
    terminal.close()
  }
}
