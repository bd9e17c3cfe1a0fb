import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { PrismaPg } from '@prisma/adapter-pg'
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils'
import type { SchemaEngine } from '@prisma/schema-engine-wasm'
import * as bindings from '@prisma/schema-engine-wasm/schema_engine_bg'
import type pg from 'pg'

/**
 * Prisma's migration engine as WebAssembly: the same engine as `prisma migrate`, without a binary to download.
 * What Postgres says of a script that fails goes to `onScriptError`; the engine's own error does not carry it.
 */
export async function openSchemaEngine(
  pool: pg.Pool,
  onScriptError: (error: Error) => void,
): Promise<SchemaEngine & AsyncDisposable> {
  await loadBindings()
  const engine = await bindings.SchemaEngine.new(
    { datamodels: undefined },
    () => {},
    bindMigrationAwareSqlAdapterFactory(new WholeScriptAdapter(pool, onScriptError)),
  )
  return Object.assign(engine, {
    async [Symbol.asyncDispose]() {
      engine.free()
    },
  })
}

/**
 * Prisma's adapter splits scripts at every semicolon, those in functions and comments included. Sent whole, a migration
 * is also one implicit transaction: it happens completely or not at all.
 */
class WholeScriptAdapter extends PrismaPg {
  private readonly onScriptError: (error: Error) => void

  constructor(pool: pg.Pool, onScriptError: (error: Error) => void) {
    super(pool, { schema: 'posthorn' })
    this.onScriptError = onScriptError
  }

  override async connect() {
    const connection = await super.connect()
    connection.executeScript = async (script) => {
      await connection
        .underlyingDriver()
        .query(script)
        .catch((error: Error) => {
          this.onScriptError(error)
          throw error
        })
    }
    return connection
  }
}

/** What is used of WebAssembly, which is in every Node and in none of its types. */
const { WebAssembly } = globalThis as unknown as {
  WebAssembly: {
    instantiate(
      source: Uint8Array,
      imports: Record<string, unknown>,
    ): Promise<{ instance: { exports: Record<string, unknown> } }>
  }
}

let loaded: Promise<void> | undefined

/** The package's own entry imports the `.wasm` as a module, which Node does not do; so it is instantiated here. */
function loadBindings(): Promise<void> {
  loaded ??= (async () => {
    const entry = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm')
    const file = path.join(path.dirname(entry), 'schema_engine_bg.wasm')
    const { instance } = await WebAssembly.instantiate(await readFile(file), {
      './schema_engine_bg.js': bindings,
    })
    bindings.__wbg_set_wasm(instance.exports)
    ;(instance.exports['__wbindgen_start'] as () => void)()
  })()
  return loaded
}
