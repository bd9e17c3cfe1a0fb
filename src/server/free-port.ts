import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Config } from '../config/config.ts'

/** Throws an error with the remedy if the server could not listen on a configured port. */
export async function requireFreePorts({
  host,
  port,
  metricsPort,
}: Pick<Config, 'host' | 'port' | 'metricsPort'>): Promise<void> {
  await requireFreePort(host, port, 'PORT')
  if (metricsPort !== null) await requireFreePort(host, metricsPort, 'POSTHORN_METRICS_PORT')
}

async function requireFreePort(host: string, port: number, setting: PortSetting): Promise<void> {
  const server = createServer((socket) => socket.destroy())
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    throw listenError(error as NodeJS.ErrnoException, { host, port, setting })
  }
  server.close()
  await once(server, 'close')
}

export type PortSetting = 'PORT' | 'POSTHORN_METRICS_PORT'

/** The error of a server that cannot listen, with the remedy. */
export function listenError(
  error: NodeJS.ErrnoException,
  { host, port, setting }: { host: string; port: number; setting: PortSetting },
): Error {
  if (error.code === 'EADDRINUSE') {
    return new Error(
      `Port ${port} on ${host} is in use, by another program or a Posthorn that already runs. Stop it, or choose another port: ${setting}=${port + 1}`,
      { cause: error },
    )
  }
  if (error.code === 'EACCES') {
    return new Error(
      `This user may not listen on port ${port}. Choose a port above 1023 with ${setting}.`,
      { cause: error },
    )
  }
  return error
}
