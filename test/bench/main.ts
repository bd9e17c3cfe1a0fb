import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { openEmbeddedPostgres } from '../../src/db/embedded.ts'
import { startBenchReceiver } from './bench-receiver.ts'
import { benchSettings, measureDrain } from './drain.ts'
import { measurePages } from './pages.ts'
import { measureRawUndici } from './raw-undici.ts'

/**
 * `npm run bench`: how fast Posthorn delivers on this machine, with an embedded Postgres of its own and a TLS receiver
 * in another process. What counts is the ratio inside one run: A is what the process could do if it recorded nothing.
 */
const { values } = parseArgs({
  options: {
    json: { type: 'boolean' },
    count: { type: 'string' },
    /** How many deliveries are stored when pages are measured; 0: they are not. */
    stored: { type: 'string' },
  },
})
const count = Number(values.count ?? 20_000)
const stored = Number(values.stored ?? 1_000_000)
const concurrency = 200
const data = { attendee: 'Ada Lovelace', ticket: 'x'.repeat(300) }

const dataDir = await mkdtemp(path.join(tmpdir(), 'posthorn-bench-'))
try {
  await using postgres = await openEmbeddedPostgres(dataDir)
  await using receiver = await startBenchReceiver()
  const body = Buffer.from(JSON.stringify({ id: 'evt_', type: 'bench', data }))
  await measureRawUndici(receiver, body, 5_000, concurrency)
  const raw = await measureRawUndici(receiver, body, count, concurrency)
  const drain = await measureDrain(postgres.url, receiver, data, count)
  report({
    'A  raw signed POSTs with undici, per second': Math.round(raw),
    [`C  drain of ${count} deliveries, per second`]: Math.round(drain.perSecond),
    'C / A': Number((drain.perSecond / raw).toFixed(2)),
    'statements per delivery in C': Number(drain.statementsPerDelivery.toFixed(3)),
    'resident memory of the process after C, MB': Math.round(drain.residentMb),
    ...(stored > 0 && (await measurePages(benchSettings(postgres.url, receiver), stored))),
  })
} finally {
  await rm(dataDir, { recursive: true, force: true })
}

function report(rows: Record<string, number>): void {
  if (values.json) console.log(JSON.stringify(rows))
  else for (const [name, value] of Object.entries(rows)) console.log(`${name.padEnd(52)}${value}`)
}
