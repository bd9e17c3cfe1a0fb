import { appendFileSync } from 'node:fs'
import { hostUrl } from './host-url.ts'

/**
 * A worker of a host application: `node host-worker-main.ts PACKAGE SCHEMA DATABASE_URL`. Its task `hello` prints the
 * payload of the job.
 */
const [, , name = '', schema = '', connectionString = ''] = process.argv
const { run } = (await import(name)) as typeof import('graphile-worker')

const runner = await run({
  connectionString: hostUrl(connectionString),
  schema,
  pollInterval: 100,
  taskList: {
    hello: (payload) => appendFileSync(process.stdout.fd, `${JSON.stringify(payload)}\n`),
  },
})
await runner.promise
