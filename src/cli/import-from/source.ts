import { type FileHandle, open, readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { readInput } from '../read-input.ts'
import { createFormerApi, type FormerApi } from './former-api.ts'

/** The options that say where the former sender's records come from. */
export interface SourceOptions {
  readonly url?: string
  readonly tokenFile?: string
  readonly save?: string
}

type FormerRecord = Record<string, unknown>

interface Source {
  /** The name of the list in a saved export: `applications` or `tenants`. */
  readonly list: string
  readonly defaultUrl: (token: string) => string
  readonly read: (api: FormerApi) => AsyncGenerator<FormerRecord>
}

export function withSourceOptions(command: Command, url: string): Command {
  return command
    .argument('[file]', 'a saved export in the place of the API; - reads standard input')
    .option('--url <url>', `the URL of the API (default: ${url})`)
    .option('--token-file <file>', 'a file with the token of the API; nothing prints the token')
    .option('--save <file>', 'also write what the API answered, with secrets, to a new file')
}

/** The records of a saved export, or of the API. */
export async function* readSource(
  file: string | undefined,
  { url, tokenFile, save }: SourceOptions,
  { list, defaultUrl, read }: Source,
): AsyncGenerator<FormerRecord> {
  if (file !== undefined) {
    yield* await savedRecords(file, list)
    return
  }
  if (tokenFile === undefined) {
    throw new Error('Give the token of the API with --token-file, or the file of a saved export.')
  }
  const token = await readToken(tokenFile)
  const records = read(createFormerApi(url ?? defaultUrl(token), token))
  if (save === undefined) {
    yield* records
    return
  }
  await using target = await createPrivate(save)
  const saved: FormerRecord[] = []
  for await (const record of records) {
    saved.push(record)
    yield record
  }
  await target.writeFile(`${JSON.stringify({ [list]: saved }, null, 2)}\n`)
}

async function readToken(file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new Error(`--token-file: ${file} cannot be read (${code}).`)
  }
}

/** Before the API is asked, so that nothing is asked in vain. Only its owner reads the file: it has secrets. */
async function createPrivate(file: string): Promise<FileHandle> {
  try {
    return await open(file, 'wx', 0o600)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new Error(`--save: ${file} cannot be created (${code}). Name a file that does not exist.`)
  }
}

async function savedRecords(file: string, list: string): Promise<FormerRecord[]> {
  const text = (await readInput(file)).toString()
  let content: unknown
  try {
    content = JSON.parse(text)
  } catch {
    throw new Error(`${file} is no JSON. Give a file of --save, or of the API's answers.`)
  }
  const records = (Object(content) as Record<string, unknown>)[list]
  if (!Array.isArray(records)) {
    throw new Error(
      `${file} has no list ${list}. docs/guides/moving-in.md shows the form of the file.`,
    )
  }
  return records
}
