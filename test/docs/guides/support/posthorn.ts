import { readFile } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'
import { freePort } from '../../../support/free-port.ts'
import { postGraphql } from '../../../support/post-graphql.ts'
import { until } from '../../../support/until.ts'
import { useResource } from '../../../support/use-resource.ts'
import { createReader, type Reader } from '../../support/reader.ts'

/** Posthorn in a clone of a reader. `databaseUrl` is that of the embedded Postgres. */
export type GuideReader = Awaited<ReturnType<typeof useReader>>

/** A reader for the guides of a file, with `npm start` in the first terminal. */
export async function useReader() {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const reader = await useResource(createReader({ PORT: String(port) }))
  const server = reader.open('npm start')
  const isReady = () => server.output.includes('"msg":"ready"')
  await until(isReady, 'Posthorn is ready', 60_000).catch(async (error) => {
    await reader[Symbol.asyncDispose]()
    throw new Error(`${error.message}\n${server.output}`)
  })
  const databaseUrl = /^ {2}Postgres {2}(postgres:.*)$/m.exec(server.output)?.[1] ?? ''
  /** Sends GraphQL with the key of the embedded server, and returns the whole answer. */
  const graphql = (query: string) => sendGraphql(reader, url, query)
  return { reader, url, databaseUrl, graphql }
}

/** A time that a reader puts in the place of the one in a guide. */
export function hoursAgo(hours: number): string {
  return new Date(Date.now() - hours * 3_600_000).toISOString()
}

export const readKey = async ({ folder }: Reader) =>
  (await readFile(path.join(folder, '.posthorn/api-key'), 'utf8')).trim()

/** Sends GraphQL with the key of the embedded server. */
export const sendGraphql = async (reader: Reader, url: string, query: string) =>
  await postGraphql(url, await readKey(reader), query)

export async function sendSql(databaseUrl: string, sql: string): Promise<pg.QueryResult> {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  try {
    return await client.query(sql)
  } finally {
    await client.end()
  }
}
