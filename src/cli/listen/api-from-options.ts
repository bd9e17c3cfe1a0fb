import type { Config } from '../../config/config.ts'
import { type ConnectApi, createConnectApi } from '../connect-api.ts'
import { type ServerOptions, serverAccess } from '../server-access.ts'

/** A client of the REST API, at the server and with the key of the options. */
export async function createApiFromOptions(
  options: ServerOptions,
  config: Config,
): Promise<ConnectApi> {
  const { url, key } = await serverAccess(options, config)
  return createConnectApi(url, key)
}
