import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'
import { type Database, openDatabase } from '../../src/db/client.ts'
import { onServer, PATIENT } from './database.ts'
import { withDatabase } from './with-database.ts'

/** Creates an empty database; disposing it drops the database. */
export async function createBlankDatabase(options = ''): Promise<Database> {
  const name = `posthorn_blank_${randomBytes(6).toString('hex')}`
  await onServer(inject('postgresUrl'), `create database ${name} ${options}`)
  const database = openDatabase(withDatabase(inject('postgresUrl'), name), PATIENT)
  return {
    ...database,
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]()
      await onServer(inject('postgresUrl'), `drop database ${name} with (force)`)
    },
  }
}

/** The relations, functions and schemas of a database, to check that a rejected migration changed nothing. */
export async function catalogueOf({ pool }: Database): Promise<unknown> {
  const { rows } = await pool.query(`
    select 'relation' as kind, n.nspname, c.relname as name, c.oid::text, c.relfilenode::text as version
    from pg_class as c join pg_namespace as n on n.oid = c.relnamespace where ${IS_USER_SCHEMA}
    union all select 'function', n.nspname, p.proname, p.oid::text, md5(p::text)
    from pg_proc as p join pg_namespace as n on n.oid = p.pronamespace where ${IS_USER_SCHEMA}
    union all select 'schema', n.nspname, obj_description(n.oid, 'pg_namespace'), n.oid::text, n.nspacl::text
    from pg_namespace as n where ${IS_USER_SCHEMA}
    order by 1, 2, 3, 4`)
  return rows
}

const IS_USER_SCHEMA = `n.nspname !~ '^pg_' and n.nspname <> 'information_schema'`
