import path from 'node:path'

/** The longest socket path that every system accepts, without its terminating zero. */
const MAX_PATH_BYTES = 103

/**
 * The folder of the server's socket file: the cluster, which only the server's user may enter. `null` where the server
 * has no socket and listens on the loopback interface only.
 */
export function socketFolder(cluster: string): string | null {
  const tooLong = Buffer.byteLength(socketFile(cluster, 65_535)) > MAX_PATH_BYTES
  return process.platform === 'win32' || tooLong ? null : cluster
}

/** https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNECT-HOST */
function socketFile(folder: string, port: number): string {
  return path.join(folder, `.s.PGSQL.${port}`)
}

/** Matches a server's socket files and their lock files, which hold its pid. */
export const SOCKET_FILES = /^\.s\.PGSQL\.\d+(\.lock)?$/

/** The URL of the same database over the server's socket; `null` where the server has none. */
export function socketUrl(url: string, cluster: string): string | null {
  const folder = socketFolder(cluster)
  return folder && url.replace('@127.0.0.1:', `@${encodeURIComponent(folder)}:`)
}
