import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { freePort } from '../../../support/free-port.ts'
import { until } from '../../../support/until.ts'
import { createReader, type Reader, type Terminal } from '../../support/reader.ts'

/** A reader with `npm start` in the first terminal. */
export interface GuideReader extends AsyncDisposable {
  readonly reader: Reader
  readonly url: string
  /** Of the embedded Postgres. */
  readonly databaseUrl: string
  /** Sends GraphQL with the key of the embedded server. */
  graphql(query: string): Promise<GraphqlAnswer>
}

export interface GraphqlAnswer {
  readonly data?: Record<string, unknown> | null
  readonly errors?: readonly unknown[]
}

export async function startReader(): Promise<GuideReader> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const reader = await createReader({ PORT: String(port) })
  try {
    const server = reader.open('npm start')
    await waitFor(server, '"msg":"ready"')
    return {
      reader,
      url,
      databaseUrl: /^ {2}Postgres {2}(postgres:.*)$/m.exec(server.output)?.[1] ?? '',
      graphql: (query) => sendGraphql(reader, url, query),
      [Symbol.asyncDispose]: () => reader[Symbol.asyncDispose](),
    }
  } catch (error) {
    await reader[Symbol.asyncDispose]()
    throw error
  }
}

export const readKey = async ({ folder }: Reader) =>
  (await readFile(path.join(folder, '.posthorn/api-key'), 'utf8')).trim()

/** Sends GraphQL with the key of the embedded server. */
export async function sendGraphql(
  reader: Reader,
  url: string,
  query: string,
): Promise<GraphqlAnswer> {
  const authorization = `Bearer ${await readKey(reader)}`
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  })
  return (await response.json()) as GraphqlAnswer
}

async function waitFor(terminal: Terminal, text: string): Promise<void> {
  await until(() => terminal.output.includes(text), `the output has ${text}`, 60_000).catch(
    (error) => {
      throw new Error(`${error.message}\n${terminal.output}`)
    },
  )
}
