import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../../src/db/client.ts'
import { publishEvent } from '../receiver/support/deliveries.ts'
import { startTestApp, testEnvironment } from '../support/app.ts'
import { needs } from '../support/left-out.ts'
import { runPosthorn } from '../support/posthorn-process.ts'
import { useFolder } from '../support/use-folder.ts'
import { createPostgres, type InstalledPostgres } from './installed-postgres.ts'

/** A certificate authority, and a certificate for the address of the server. Postgres accepts TLS only. */
const REQUIRE_TLS = `
  openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 2 -subj /CN=authority
  openssl req -newkey rsa:2048 -nodes -keyout server.key -out server.csr -subj /CN=postgres
  echo subjectAltName=IP:127.0.0.1 > names
  openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out server.crt -days 2 -extfile names
  chmod 600 server.key
  echo 'hostssl all all 127.0.0.1/32 trust' > "$PGDATA/pg_hba.conf"
  printf "ssl = on\\nssl_cert_file = '$PWD/server.crt'\\nssl_key_file = '$PWD/server.key'\\n" >> "$PGDATA/postgresql.conf"
`

describe('on a Postgres that requires TLS', needs('pg_ctl', 'openssl'), async () => {
  const folder = await useFolder('tls')
  let postgres: InstalledPostgres
  const urlWith = (parameters: string) => `${postgres.urlOf('posthorn')}${parameters}`
  const migrate = (parameters: string) =>
    runPosthorn(['migrate'], { environment: testEnvironment(urlWith(parameters)) })

  beforeAll(async () => {
    postgres = await createPostgres(folder)
    await postgres.run(REQUIRE_TLS)
    await postgres.start()
    await postgres.run('createdb posthorn')
  })
  afterAll(() => postgres[Symbol.asyncDispose]())

  test('a URL without TLS, and one without the authority, get an error with the remedy', async () => {
    const plain = await migrate('')
    expect(plain.code).toBe(78)
    expect(plain.stderr).toContain('The server requires TLS: add ?sslmode=verify-full to its URL.')
    const unknown = await migrate('?sslmode=verify-full')
    expect(unknown.code).toBe(1)
    expect(unknown.stderr).toContain('?sslmode=verify-full&sslrootcert=/path/to/ca.pem')
  })

  test('every connection of the API and the worker is encrypted', async () => {
    const parameters = `?sslmode=verify-full&sslrootcert=${folder}/ca.pem`
    const migrated = await migrate(parameters)
    expect(migrated.code, migrated.stderr).toBe(0)
    await using database = openDatabase(urlWith(parameters))
    await using posthorn = await startTestApp({ database })
    await publishEvent(posthorn, {})
    const { rows } = await database.pool.query(
      `select bool_and(ssl) as encrypted, count(distinct application_name)::int as programs
         from pg_stat_ssl join pg_stat_activity using (pid)
         where datname = 'posthorn' and backend_type = 'client backend'`,
    )
    expect(rows).toEqual([{ encrypted: true, programs: expect.any(Number) }])
    // The pools, the heartbeats and the runner.
    expect(rows[0].programs).toBeGreaterThanOrEqual(3)
  })
})
