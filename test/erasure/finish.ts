import { parseId } from '../../src/db/ids.ts'
import { runErasurePage } from '../../src/erasure/continue-erasure.ts'
import type { Api } from '../graphql/support/api.ts'
import { until } from '../support/until.ts'

/** Runs the pages of an erasure, as its jobs do, until it has ended. */
export async function finish(api: Api, id: string): Promise<void> {
  const { database, deps } = api
  const erasure = { pool: database.background, keyring: deps.webhooks.keyring }
  await until(
    async () => (await runErasurePage(erasure, parseId('erasure', id) as string)) === null,
    'the erasure has ended',
    30_000,
  )
}

/** Runs the pages of an erasure until it waits for deliveries. */
export async function runUntilWaiting(api: Api, id: string): Promise<void> {
  const { database, deps } = api
  const uuid = parseId('erasure', id) as string
  const erasure = { pool: database.background, keyring: deps.webhooks.keyring }
  await until(
    async () => {
      await runErasurePage(erasure, uuid)
      const row = await database.prisma.erasure.findUniqueOrThrow({ where: { id: uuid } })
      return row.step === 'settle' && row.pass > 1
    },
    'the erasure waits',
    30_000,
  )
}

/** Runs the next page of an erasure, if its time has come. */
export async function runPage({ database, deps }: Api, id: string): Promise<void> {
  const erasure = { pool: database.background, keyring: deps.webhooks.keyring }
  await runErasurePage(erasure, parseId('erasure', id) as string)
}
