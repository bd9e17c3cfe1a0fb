import { once } from 'node:events'
import type { Server as HttpServer } from 'node:http'
import type { Server as HttpsServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'

/** Listens at an address of this machine, and returns the port. */
export async function listen(
  server: Server,
  { port = 0, host = '127.0.0.1' } = {},
): Promise<number> {
  server.listen(port, host)
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** Closes a server with its connections. */
export async function closeServer(server: HttpServer | HttpsServer): Promise<void> {
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
}
