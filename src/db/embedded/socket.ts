import path from 'node:path'

/** What a path may be long so that every system takes it for a socket, the zero at its end not counted. */
const MAX_PATH_BYTES = 103

/**
 * Where the server of a cluster puts its socket file: into the cluster, which only its own user may enter. `null` where
 * it has none, and is reached over the loopback interface only.
 */
export function socketFolder(cluster: string): string | null {
  const tooLong = Buffer.byteLength(socketFile(cluster, 65_535)) > MAX_PATH_BYTES
  return process.platform === 'win32' || tooLong ? null : cluster
}

/** https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNECT-HOST */
function socketFile(folder: string, port: number): string {
  return path.join(folder, `.s.PGSQL.${port}`)
}

/** The files that name a server's sockets and, with their locks, its pid. */
export const SOCKET_FILES = /^\.s\.PGSQL\.\d+(\.lock)?$/

/** The same database over the socket file of its server; `null` where it has none. */
export function socketUrl(url: string, cluster: string): string | null {
  const folder = socketFolder(cluster)
  return folder && url.replace('@127.0.0.1:', `@${encodeURIComponent(folder)}:`)
}
