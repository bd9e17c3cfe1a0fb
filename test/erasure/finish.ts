import { parseId } from '../../src/db/ids.ts'
import { runPage as runWorkPage } from '../../src/queue/long-work.ts'
import { workDeps } from '../bulk-tasks/rows.ts'
import type { Api } from '../graphql/support/api.ts'
import { until } from '../support/until.ts'

interface Own {
  readonly database: Api['database']
  readonly deps: { readonly webhooks: Pick<Api['deps']['webhooks'], 'keyring'> }
}

/** Runs the next page of an erasure, if its time has come. Returns null once it has ended. */
export async function runPage({ database, deps }: Own, id: string) {
  return await runWorkPage(
    workDeps(database, deps.webhooks.keyring),
    parseId('bulkTask', id) as string,
  )
}

/** Runs the pages of an erasure, as its jobs do, until it has ended. */
export async function finish(api: Own, id: string): Promise<void> {
  await until(async () => (await runPage(api, id)) === null, 'the erasure has ended', 30_000)
}

/** Runs the pages of an erasure until it waits for deliveries. */
export async function runUntilWaiting(api: Own, id: string): Promise<void> {
  const waits = async () => ((await runPage(api, id))?.waitMs ?? 0) > 1_000
  await until(waits, 'the erasure waits', 30_000)
}
