import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createAuthenticate } from '../../src/api-keys/authenticate.ts'
import type { Database } from '../../src/db/client.ts'
import { embeddedApiKeyFile, provisionEmbedded } from '../../src/embedded/provision.ts'
import { createTestDatabase } from '../support/database.ts'

let database: Database
let dataDir: string
let file: string

beforeEach(async () => {
  database = await createTestDatabase()
  dataDir = await mkdtemp(path.join(tmpdir(), 'posthorn-provision-'))
  file = embeddedApiKeyFile(dataDir)
})
afterEach(async () => {
  await database[Symbol.asyncDispose]()
  await rm(dataDir, { recursive: true })
})

const provision = () => provisionEmbedded(database.prisma, dataDir)
const keptToken = async () => (await readFile(file, 'utf8')).trim()

async function expectOneOrganizationOf(token: string) {
  expect(await database.prisma.organization.count()).toBe(1)
  const { organizationId } = await createAuthenticate(database.pool)(`Bearer ${token}`)
  expect(await database.prisma.organization.findMany()).toMatchObject([{ id: organizationId }])
}

test('the first start makes a key and keeps it where only its owner reads it; the next makes none', async () => {
  const token = await provision()
  expect(await keptToken()).toBe(token)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  await expectOneOrganizationOf(token as string)

  expect(await provision()).toBeNull()
  await expectOneOrganizationOf(await keptToken())
})

test('where the key cannot be kept nothing is made, and the next start makes up for it', async () => {
  // A file cannot take its place.
  await mkdir(path.join(file, 'in-the-way'), { recursive: true })
  await expect(provision()).rejects.toThrow(/api-key/)
  expect(await database.prisma.organization.count()).toBe(0)

  await rm(file, { recursive: true })
  await expectOneOrganizationOf((await provision()) as string)
})

test('a start that was killed once the key was kept is made up for by the next one', async () => {
  await writeFile(file, 'phk_of_a_transaction_that_was_not_committed\n')
  const token = await provision()
  expect(await keptToken()).toBe(token)
  await expectOneOrganizationOf(token as string)
})

test('of several that start together one makes it', async () => {
  const tokens = await Promise.all([provision(), provision(), provision()])
  const made = tokens.filter((token) => token !== null)
  expect(made).toEqual([await keptToken()])
  await expectOneOrganizationOf(made[0] as string)
})
