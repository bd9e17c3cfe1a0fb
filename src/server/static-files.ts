import { serveStatic } from '@hono/node-server/serve-static'
import type { Context, MiddlewareHandler } from 'hono'

interface StaticFilesOptions {
  /** The folder of a build. */
  readonly folder: string
  /** The file of a requested path, below the folder. */
  readonly fileOf: (path: string) => string
}

/** Serves the files of a build, compressed where `compressFiles` wrote a copy. A path outside of the folder has no file. */
export function staticFiles({ folder, fileOf }: StaticFilesOptions): MiddlewareHandler {
  return serveStatic({
    root: folder,
    rewriteRequestPath: fileOf,
    precompressed: true,
  })
}

const YEAR_SECONDS = 31_536_000

/** For files whose names contain the hash of their content. */
export async function cacheForever(context: Context, next: () => Promise<void>): Promise<void> {
  await next()
  context.header('x-content-type-options', 'nosniff')
  if (context.res.ok) {
    context.header('cache-control', `public, max-age=${YEAR_SECONDS}, immutable`)
  }
}

export async function cacheUntilChanged(
  context: Context,
  next: () => Promise<void>,
): Promise<void> {
  await next()
  context.header('x-content-type-options', 'nosniff')
  context.header('cache-control', 'no-cache')
}
