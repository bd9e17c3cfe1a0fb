import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { createAuthenticate } from '../../../src/auth/api-keys/authenticate.ts'
import { embeddedApiKeyFile, provisionEmbedded } from '../../../src/run/embedded/provision.ts'
import { useFreshDatabase } from '../../support/fresh-database.ts'
import { useFolder } from '../../support/use-folder.ts'

const database = useFreshDatabase()
const folder = await useFolder('provision')
let dataDir: string
let file: string

beforeEach(async () => {
  dataDir = await mkdtemp(path.join(folder, 'data '))
  file = embeddedApiKeyFile(dataDir)
})

const provision = () => provisionEmbedded(database.prisma, dataDir)
const storedToken = async () => (await readFile(file, 'utf8')).trim()

async function expectOneOrganizationOf(token: string) {
  expect(await database.prisma.organization.count()).toBe(1)
  const { organizationId } = await createAuthenticate(database.pool)(`Bearer ${token}`)
  expect(await database.prisma.organization.findMany()).toMatchObject([{ id: organizationId }])
}

test('the first start creates a key and stores it in a file for its owner only; the next start creates none', async () => {
  const token = await provision()
  expect(await storedToken()).toBe(token)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  await expectOneOrganizationOf(token as string)

  expect(await provision()).toBeNull()
  await expectOneOrganizationOf(await storedToken())
})

test('if the key cannot be stored, nothing is created, and the next start repeats it', async () => {
  // A file cannot replace a folder.
  await mkdir(path.join(file, 'in-the-way'), { recursive: true })
  await expect(provision()).rejects.toThrow(/api-key/)
  expect(await database.prisma.organization.count()).toBe(0)

  await rm(file, { recursive: true })
  await expectOneOrganizationOf((await provision()) as string)
})

test('the next start repeats a start that was killed after it stored the key', async () => {
  await writeFile(file, 'phk_of_a_transaction_that_was_not_committed\n')
  const token = await provision()
  expect(await storedToken()).toBe(token)
  await expectOneOrganizationOf(token as string)
})

test('of several processes that start together, one creates the key', async () => {
  const tokens = await Promise.all([provision(), provision(), provision()])
  const created = tokens.filter((token) => token !== null)
  expect(created).toEqual([await storedToken()])
  await expectOneOrganizationOf(created[0] as string)
})
