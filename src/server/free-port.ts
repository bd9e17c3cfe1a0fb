import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Config } from '../config/config.ts'

/** Throws an error with the remedy if the server could not listen on the configured address. */
export async function requireFreePort({ host, port }: Pick<Config, 'host' | 'port'>) {
  const server = createServer((socket) => socket.destroy())
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    throw listenError(error as NodeJS.ErrnoException, host, port)
  }
  server.close()
  await once(server, 'close')
}

/** The error of a server that cannot listen, with the remedy. */
export function listenError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  if (error.code === 'EADDRINUSE') {
    return new Error(
      `Port ${port} on ${host} is in use by another program. Stop it, or choose another port: PORT=${port + 1}`,
      { cause: error },
    )
  }
  if (error.code === 'EACCES') {
    return new Error(
      `This user may not listen on port ${port}. Choose a port above 1023 with PORT.`,
      { cause: error },
    )
  }
  return error
}
