import { beforeEach, expect, test } from 'vitest'
import {
  bindWorkerSchema,
  installedRevision,
  WORKER_REVISION,
} from '../../src/queue/worker-schema.ts'
import { useFreshDatabase } from '../support/fresh-database.ts'

const database = useFreshDatabase()

beforeEach(async () => {
  await database.pool.query(`
    create function posthorn.test_enqueue(task text, note varchar(10) default 'none') returns void
      language plpgsql as $$ begin perform add_job(task); end $$;
    comment on function posthorn.test_enqueue is 'Calls graphile-worker. Adds a job.';
    create procedure posthorn.test_proceed() language plpgsql as $$ begin perform add_job('x'); end $$;
    comment on procedure posthorn.test_proceed is 'Calls graphile-worker.';
    create function posthorn.test_other() returns void language sql as 'select';
    comment on function posthorn.test_other is 'Something else.'`)
})

const BY_INDEX = [
  ...['enable_seqscan=off', 'enable_indexscan=off', 'enable_bitmapscan=on', 'enable_nestloop=on'],
  'jit=off',
]

test('functions that call graphile-worker find it in its schema and its rows by index, also after a change of the setting, and no others are changed', async () => {
  await bindWorkerSchema(database.pool, 'graphile_worker')
  expect(await settings()).toEqual({
    test_enqueue: ['search_path=posthorn, graphile_worker, pg_temp', ...BY_INDEX],
    test_proceed: ['search_path=posthorn, graphile_worker, pg_temp', ...BY_INDEX],
    test_other: null,
  })
  await database.pool.query(`select posthorn.test_enqueue('hello')`)
  const { rows } = await database.pool.query('select task_identifier from graphile_worker.jobs')
  expect(rows).toEqual([{ task_identifier: 'hello' }])
  // A reserved word of SQL, which needs quotes.
  await bindWorkerSchema(database.pool, 'user')
  expect(await settings()).toMatchObject({
    test_enqueue: ['search_path=posthorn, "user", pg_temp', ...BY_INDEX],
  })
})

test("graphile-worker's revision is the one that it installs", async () => {
  expect(await installedRevision(database.pool, 'graphile_worker')).toBe(WORKER_REVISION)
})

async function settings(): Promise<Record<string, string[] | null>> {
  const { rows } = await database.pool.query(
    `select proname, proconfig from pg_proc where proname like 'test\\_%' and pronamespace = 'posthorn'::regnamespace`,
  )
  return Object.fromEntries(rows.map(({ proname, proconfig }) => [proname, proconfig]))
}
