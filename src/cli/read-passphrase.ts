import { Option } from 'commander'
import { readEnvironment } from '../config/config.ts'
import { askSecret, readSecretFile } from './read-secret.ts'

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
  const given =
    file === undefined
      ? readEnvironment()[SETTING]
      : await readSecretFile('--passphrase-file', file)
  const chosen = given || (await askForPassphrase(isNew))
  if (isNew && chosen.length < MIN_LENGTH) {
    throw new Error(
      `The passphrase has fewer than ${MIN_LENGTH} characters. It protects every signing secret: choose a longer one, such as the output of \`openssl rand -base64 18\`.`,
    )
  }
  return chosen
}

async function askForPassphrase(isNew: boolean): Promise<string> {
  if (!process.stdin.isTTY) {
    throw new Error(
      `There is no passphrase, and no terminal to ask for it. Set ${SETTING}, or give --passphrase-file.`,
    )
  }
  const passphrase = await askSecret('Passphrase: ')
  if (isNew && (await askSecret('Passphrase again: ')) !== passphrase) {
    throw new Error('The two passphrases differ. Nothing was exported.')
  }
  return passphrase
}
