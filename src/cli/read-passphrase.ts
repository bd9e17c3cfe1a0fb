import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { Option } from 'commander'
import { readEnvironment } from '../config/config.ts'

const SETTING = 'POSTHORN_EXPORT_PASSPHRASE'

/** A passphrase of random letters and digits with this length resists guessing for years. */
const MIN_LENGTH = 12

export function passphraseFileOption(): Option {
  return new Option(
    '--passphrase-file <file>',
    `read the passphrase from a file (default: ${SETTING}, otherwise you are asked)`,
  )
}

/**
 * The passphrase from a file, the environment or, without echo, the terminal. There is no option for the passphrase itself,
 * because other users of the machine can read the arguments of programs.
 */
export async function readPassphrase(
  file: string | undefined,
  { isNew }: { readonly isNew: boolean },
): Promise<string> {
  const given = file === undefined ? readEnvironment()[SETTING] : readFile(file)
  const chosen = given || (await askForPassphrase(isNew))
  if (isNew && chosen.length < MIN_LENGTH) {
    throw new Error(
      `The passphrase has fewer than ${MIN_LENGTH} characters. It protects every signing secret: choose a longer one, such as the output of \`openssl rand -base64 18\`.`,
    )
  }
  return chosen
}

function readFile(file: string): string {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new Error(`--passphrase-file: ${file} cannot be read (${code}).`)
  }
  const passphrase = text.replace(/\r?\n$/, '')
  if (passphrase === '') throw new Error(`--passphrase-file: ${file} is empty.`)
  return passphrase
}

async function askForPassphrase(isNew: boolean): Promise<string> {
  if (!process.stdin.isTTY) {
    throw new Error(
      `There is no passphrase, and no terminal to ask for it. Set ${SETTING}, or give --passphrase-file.`,
    )
  }
  const passphrase = await ask('Passphrase: ')
  if (isNew && (await ask('Passphrase again: ')) !== passphrase) {
    throw new Error('The two passphrases differ. Nothing was exported.')
  }
  return passphrase
}

/** Readline switches the echo of the terminal off and edits the line, here without showing it. */
async function ask(prompt: string): Promise<string> {
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
