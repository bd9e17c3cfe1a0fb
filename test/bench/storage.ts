import type { Sql } from '../../src/db/client.ts'

/** What a database occupies, as a soak samples it. */
export interface Storage {
  /** The tables of the queue, with their indexes. */
  readonly jobsMb: number
  readonly deadJobRows: number
  /** The tables of Posthorn that have no partitions, with their indexes. */
  readonly smallTablesMb: number
  readonly deadDeliveryRows: number
  /** Events, deliveries and attempts, for each delivery stored so far. */
  readonly tableBytes: number
  readonly indexBytes: number
  /** The segments on the disk. */
  readonly walMb: number
  readonly unfinished: number
}

/** Reads statistics and sizes, and of the tables only the queue. The size of the WAL needs a superuser. */
export async function readStorage(sql: Sql): Promise<Storage> {
  const { rows } = await sql.query<Storage>(STORAGE)
  return rows[0] as Storage
}

const STORAGE = `
  with tables as (
    select nspname as schema, c.relname as name, pg_table_size(c.oid) as data, pg_indexes_size(c.oid) as indexes,
      coalesce(s.n_dead_tup, 0) as dead, coalesce(s.n_tup_ins, 0) as inserted
    from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
      left join pg_stat_user_tables as s on s.relid = c.oid
    where relkind = 'r' and nspname in ('graphile_worker', 'posthorn', 'posthorn_partitions')
  ),
  sums as (
    select
      sum(data + indexes) filter (where schema = 'graphile_worker') as jobs,
      sum(dead) filter (where schema = 'graphile_worker') as dead_jobs,
      sum(data + indexes) filter (where schema = 'posthorn') as small_tables,
      sum(dead) filter (where name like 'deliveries%') as dead_deliveries,
      sum(inserted) filter (where name like 'deliveries%') as deliveries,
      sum(data) filter (where schema = 'posthorn_partitions') as data,
      sum(indexes) filter (where schema = 'posthorn_partitions') as indexes
    from tables
  )
  select
    jobs / 1e6::float8 as "jobsMb", dead_jobs::float8 as "deadJobRows", small_tables / 1e6::float8 as "smallTablesMb",
    dead_deliveries::float8 as "deadDeliveryRows",
    data / greatest(deliveries, 1)::float8 as "tableBytes", indexes / greatest(deliveries, 1)::float8 as "indexBytes",
    (select sum(size) / 1e6::float8 from pg_ls_waldir()) as "walMb",
    (select count(*)::float8 from graphile_worker.jobs where task_identifier = 'posthorn:deliver') as unfinished
  from sums`
